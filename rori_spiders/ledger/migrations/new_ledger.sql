CREATE TABLE actions (
	action_id INTEGER NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	actor VARCHAR(100) NOT NULL, 
	action VARCHAR(40) NOT NULL, 
	target TEXT NOT NULL, 
	reason TEXT, 
	details JSON, 
	CONSTRAINT pk_actions PRIMARY KEY (action_id)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0050');
CREATE TABLE alert_channels (
	channel VARCHAR(40) NOT NULL, 
	claimed_by VARCHAR(300), 
	claimed_until VARCHAR(27), 
	sent_at VARCHAR(27), 
	CONSTRAINT pk_alert_channels PRIMARY KEY (channel)
);
CREATE TABLE alert_deliveries (
	alert_id INTEGER NOT NULL, 
	channel VARCHAR(40) NOT NULL, 
	what VARCHAR(10) NOT NULL, 
	tries INTEGER NOT NULL, 
	tried_at VARCHAR(27) NOT NULL, 
	next_try_at VARCHAR(27), 
	delivered BOOLEAN NOT NULL, 
	error TEXT, 
	CONSTRAINT pk_alert_deliveries PRIMARY KEY (alert_id, channel, what), 
	CONSTRAINT fk_alert_deliveries_alert_id_alerts FOREIGN KEY(alert_id) REFERENCES alerts (alert_id)
);
CREATE TABLE alerts (
	alert_id INTEGER NOT NULL, 
	source_id VARCHAR(200) NOT NULL, 
	event VARCHAR(40) NOT NULL, 
	cause VARCHAR(200) NOT NULL, 
	severity VARCHAR(10) NOT NULL, 
	message TEXT NOT NULL, 
	pages JSON, 
	opened_at VARCHAR(27) NOT NULL, 
	cleared_at VARCHAR(27), 
	CONSTRAINT pk_alerts PRIMARY KEY (alert_id)
);
CREATE TABLE api_tokens (
	token_id INTEGER NOT NULL, 
	user_name VARCHAR(100) NOT NULL, 
	label VARCHAR(100) NOT NULL, 
	scope VARCHAR(10) NOT NULL, 
	token_hash VARCHAR(64) NOT NULL, 
	created_at VARCHAR(27) NOT NULL, 
	expires_at VARCHAR(27) NOT NULL, 
	revoked_at VARCHAR(27), 
	seen_at VARCHAR(27), 
	CONSTRAINT pk_api_tokens PRIMARY KEY (token_id), 
	CONSTRAINT uq_api_tokens_token_hash UNIQUE (token_hash)
);
CREATE TABLE audit (
	audit_id INTEGER NOT NULL, 
	run_id VARCHAR(36) NOT NULL, 
	seq INTEGER NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	timestamp VARCHAR(27) NOT NULL, 
	manifest_id VARCHAR(200) NOT NULL, 
	url TEXT NOT NULL, 
	engine VARCHAR(20) NOT NULL, 
	http_status INTEGER, 
	content_hash VARCHAR(64), 
	content_changed BOOLEAN, 
	response_time_ms INTEGER, 
	credits_consumed INTEGER NOT NULL, 
	retry_count INTEGER NOT NULL, 
	error TEXT, 
	staged_path TEXT, 
	url_hash VARCHAR(64) NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	reason TEXT, 
	verdict VARCHAR(20), 
	rules JSON, 
	final_url TEXT, 
	redirects JSON, 
	ip_address VARCHAR(45), 
	request_headers JSON, 
	response_headers JSON, 
	raw_hash VARCHAR(64), 
	robots_object VARCHAR(64), 
	attempts JSON, 
	build VARCHAR(60) NOT NULL, reason_code VARCHAR(40), reason_detail JSON, 
	CONSTRAINT pk_audit PRIMARY KEY (audit_id), 
	CONSTRAINT fk_audit_run_id FOREIGN KEY(run_id) REFERENCES runs (run_id), 
	CONSTRAINT uq_audit_run_id_seq UNIQUE (run_id, seq)
);
CREATE TABLE audit_chains (
	run_id VARCHAR(36) NOT NULL, 
	rows INTEGER NOT NULL, 
	row_hash VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_audit_chains PRIMARY KEY (run_id)
);
CREATE TABLE change_assignments (
	page_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	assignee VARCHAR(100) NOT NULL, 
	due_on VARCHAR(10), 
	assigned_by VARCHAR(100) NOT NULL, 
	assigned_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_change_assignments PRIMARY KEY (page_id, seq), 
	CONSTRAINT fk_change_assignments_page_id_seq FOREIGN KEY(page_id, seq) REFERENCES changes (page_id, seq)
);
CREATE TABLE change_deliveries (
	subscription_id INTEGER NOT NULL, 
	page_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	sent_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_change_deliveries PRIMARY KEY (subscription_id, page_id, seq), 
	CONSTRAINT fk_change_deliveries_subscription_id FOREIGN KEY(subscription_id) REFERENCES change_subscriptions (subscription_id), 
	CONSTRAINT fk_change_deliveries_page_id_seq FOREIGN KEY(page_id, seq) REFERENCES changes (page_id, seq)
);
CREATE TABLE change_reviews (
	page_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	decision VARCHAR(12) NOT NULL, 
	reason TEXT, 
	reviewed_by VARCHAR(100) NOT NULL, 
	reviewed_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_change_reviews PRIMARY KEY (page_id, seq), 
	CONSTRAINT fk_change_reviews_page_id_seq FOREIGN KEY(page_id, seq) REFERENCES changes (page_id, seq)
);
CREATE TABLE change_subscriptions (
	subscription_id INTEGER NOT NULL, 
	owner VARCHAR(100) NOT NULL, 
	schedule VARCHAR(10) NOT NULL, 
	send_to TEXT, 
	token_hash VARCHAR(64), 
	high_at_once BOOLEAN NOT NULL, 
	filter JSON NOT NULL, 
	created_at VARCHAR(27) NOT NULL, 
	ended_at VARCHAR(27), 
	claimed_until VARCHAR(27), 
	sent_at VARCHAR(27), 
	tries INTEGER NOT NULL, 
	next_try_at VARCHAR(27), 
	error TEXT, 
	CONSTRAINT pk_change_subscriptions PRIMARY KEY (subscription_id)
);
CREATE TABLE change_totals (
	change_type VARCHAR(10) NOT NULL, 
	versions INTEGER NOT NULL, 
	CONSTRAINT pk_change_totals PRIMARY KEY (change_type)
);
CREATE TABLE change_weights (
	page_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	points INTEGER NOT NULL, 
	rules JSON NOT NULL, 
	site VARCHAR(260) NOT NULL, 
	shape VARCHAR(12) NOT NULL, 
	edit VARCHAR(12) NOT NULL, 
	publication VARCHAR(300) NOT NULL, 
	CONSTRAINT pk_change_weights PRIMARY KEY (page_id, seq), 
	CONSTRAINT fk_change_weights_page_id_seq FOREIGN KEY(page_id, seq) REFERENCES changes (page_id, seq)
);
CREATE TABLE changes (
	page_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	source_id VARCHAR(200) NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	from_seq INTEGER, 
	kind VARCHAR(12) NOT NULL, 
	importance INTEGER NOT NULL, 
	details JSON NOT NULL, 
	described_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_changes PRIMARY KEY (page_id, seq), 
	CONSTRAINT fk_changes_page_id_seq FOREIGN KEY(page_id, seq) REFERENCES versions (page_id, seq)
);
CREATE TABLE corpus_approvals (
	domain VARCHAR(253) NOT NULL, 
	page_id VARCHAR(64) NOT NULL, 
	raw_object VARCHAR(64) NOT NULL, 
	clean_object VARCHAR(64) NOT NULL, 
	title TEXT, 
	approved_by TEXT NOT NULL, 
	approved_at VARCHAR(27) NOT NULL, 
	reason TEXT, 
	CONSTRAINT pk_corpus_approvals PRIMARY KEY (domain, page_id, raw_object)
);
CREATE TABLE corpus_overrides (
	domain VARCHAR(253) NOT NULL, 
	page_id VARCHAR(64) NOT NULL, 
	seq INTEGER NOT NULL, 
	url TEXT NOT NULL, 
	decision VARCHAR(20), 
	reason TEXT NOT NULL, 
	created_by TEXT NOT NULL, 
	created_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_corpus_overrides PRIMARY KEY (domain, page_id, seq)
);
CREATE TABLE corpus_pages (
	run_id VARCHAR(36) NOT NULL, 
	page_id VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	source_id VARCHAR(200), 
	found_by VARCHAR(20) NOT NULL, 
	section TEXT NOT NULL, 
	template TEXT NOT NULL, 
	title TEXT, 
	description TEXT, 
	dated VARCHAR(40), 
	met VARCHAR(20), 
	met_reason TEXT, 
	sampled INTEGER NOT NULL, 
	decision VARCHAR(20), 
	decided_by VARCHAR(20), 
	rule TEXT, 
	reason TEXT, 
	confidence FLOAT, 
	evidence JSON, 
	got VARCHAR(20), 
	got_reason TEXT, 
	got_at VARCHAR(27), 
	raw_object VARCHAR(64), 
	draft_object VARCHAR(64), 
	removals_object VARCHAR(64), 
	clean_object VARCHAR(64), 
	cleaned_by VARCHAR(20), 
	cleaning_object VARCHAR(64), 
	doc_id VARCHAR(200), 
	document_object VARCHAR(64), 
	content_hash VARCHAR(64), 
	flags JSON, 
	findings JSON, 
	gate VARCHAR(20), 
	review VARCHAR(20), 
	reviewed_by TEXT, 
	reviewed_at VARCHAR(27), 
	review_reason TEXT, linked JSON, language VARCHAR(20), published VARCHAR(40), stated JSON, 
	CONSTRAINT pk_corpus_pages PRIMARY KEY (run_id, page_id)
);
CREATE TABLE corpus_runs (
	run_id VARCHAR(36) NOT NULL, 
	domain VARCHAR(253) NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	state VARCHAR(30) NOT NULL, 
	target JSON NOT NULL, 
	base_version INTEGER, 
	rules TEXT NOT NULL, 
	model TEXT, 
	triage_object VARCHAR(64), 
	requested_by TEXT NOT NULL, 
	started_at VARCHAR(27) NOT NULL, 
	moved_at VARCHAR(27) NOT NULL, 
	ended_at VARCHAR(27), 
	stopped_in VARCHAR(30), 
	says TEXT, 
	worker TEXT, 
	worker_until VARCHAR(27), 
	CONSTRAINT pk_corpus_runs PRIMARY KEY (run_id)
);
CREATE TABLE corpus_versions (
	domain VARCHAR(253) NOT NULL, 
	version INTEGER NOT NULL, 
	run_id VARCHAR(36), 
	rolled_back_to INTEGER, 
	state VARCHAR(20) NOT NULL, 
	prefix TEXT NOT NULL, 
	contents_hash VARCHAR(64), 
	manifest_hash VARCHAR(64), 
	pages INTEGER, 
	tombstones INTEGER, 
	approved_by TEXT, 
	approved_at VARCHAR(27), 
	published_by TEXT NOT NULL, 
	begun_at VARCHAR(27) NOT NULL, 
	published_at VARCHAR(27), 
	loader_state VARCHAR(20), 
	loader_execution TEXT, 
	loader_says TEXT, 
	loader_at VARCHAR(27), 
	CONSTRAINT pk_corpus_versions PRIMARY KEY (domain, version)
);
CREATE TABLE costs (
	cost_id INTEGER NOT NULL, 
	provider VARCHAR(40) NOT NULL, 
	run_id VARCHAR(36), 
	url TEXT, 
	unit VARCHAR(20) NOT NULL, 
	reserved FLOAT NOT NULL, 
	settled FLOAT, 
	usd FLOAT, 
	reserved_at VARCHAR(27) NOT NULL, 
	settled_at VARCHAR(27), 
	CONSTRAINT pk_costs PRIMARY KEY (cost_id)
);
CREATE TABLE cursors (
	name VARCHAR(40) NOT NULL, 
	position TEXT NOT NULL, 
	owner VARCHAR(200), 
	held_until VARCHAR(27), 
	CONSTRAINT pk_cursors PRIMARY KEY (name)
);
CREATE TABLE envelopes (
	envelope_id VARCHAR(36) NOT NULL, 
	run_id VARCHAR(36) NOT NULL, 
	source_id VARCHAR(200) NOT NULL, 
	url TEXT NOT NULL, 
	url_hash VARCHAR(64) NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	path TEXT NOT NULL, 
	file_hash VARCHAR(64) NOT NULL, 
	index_line TEXT NOT NULL, 
	content_hash VARCHAR(64) NOT NULL, 
	change_type VARCHAR(10) NOT NULL, 
	reserved_at VARCHAR(27) NOT NULL, 
	staged_at VARCHAR(27), 
	confirmed_at VARCHAR(27), 
	pruned_at VARCHAR(27), 
	newest BOOLEAN DEFAULT '1' NOT NULL, announced_at VARCHAR(27), 
	CONSTRAINT pk_envelopes PRIMARY KEY (envelope_id), 
	CONSTRAINT fk_envelopes_run_id FOREIGN KEY(run_id) REFERENCES runs (run_id), 
	CONSTRAINT uq_envelopes_path UNIQUE (path), 
	CONSTRAINT uq_envelopes_run_id_url_hash UNIQUE (run_id, url_hash)
);
CREATE TABLE fact_leaves (
	position INTEGER NOT NULL, 
	kind VARCHAR(20) NOT NULL, 
	subject TEXT NOT NULL, 
	hashes BLOB NOT NULL, 
	CONSTRAINT pk_fact_leaves PRIMARY KEY (position)
);
CREATE TABLE field_lines (
	source_id VARCHAR(200) NOT NULL, 
	seq INTEGER NOT NULL, 
	made_at VARCHAR(27) NOT NULL, 
	text TEXT NOT NULL, 
	logged BOOLEAN NOT NULL, 
	CONSTRAINT pk_field_lines PRIMARY KEY (source_id, seq)
);
CREATE TABLE field_records (
	source_id VARCHAR(200) NOT NULL, 
	drawn_at VARCHAR(27) NOT NULL, 
	pages INTEGER NOT NULL, 
	complete BOOLEAN NOT NULL, 
	schema_hash VARCHAR(64) NOT NULL, 
	model TEXT NOT NULL, 
	prompt_version VARCHAR(20) NOT NULL, 
	record TEXT NOT NULL, 
	CONSTRAINT pk_field_records PRIMARY KEY (source_id)
);
CREATE TABLE field_values (
	source_id VARCHAR(200) NOT NULL, 
	field VARCHAR(64) NOT NULL, 
	seq INTEGER NOT NULL, 
	value JSON, 
	found JSON NOT NULL, 
	because VARCHAR(10) NOT NULL, 
	since VARCHAR(27) NOT NULL, 
	seen_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_field_values PRIMARY KEY (source_id, field, seq)
);
CREATE TABLE head_destinations (
	destination TEXT NOT NULL, 
	size INTEGER NOT NULL, 
	failed_at VARCHAR(27), 
	error TEXT, 
	CONSTRAINT pk_head_destinations PRIMARY KEY (destination)
);
CREATE TABLE import_withdrawals (
	import_id VARCHAR(36) NOT NULL, 
	seq INTEGER NOT NULL, 
	withdrawn BOOLEAN NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	actor VARCHAR(100) NOT NULL, 
	reason TEXT NOT NULL, 
	CONSTRAINT pk_import_withdrawals PRIMARY KEY (import_id, seq), 
	CONSTRAINT fk_import_withdrawals_import_id FOREIGN KEY(import_id) REFERENCES imports (import_id)
);
CREATE TABLE imported_captures (
	import_id VARCHAR(36) NOT NULL, 
	record VARCHAR(500) NOT NULL, 
	source_id VARCHAR(200), 
	url TEXT, 
	url_hash VARCHAR(64), 
	captured_at VARCHAR(27), 
	recorded_at VARCHAR(27) NOT NULL, 
	trust VARCHAR(10), 
	state VARCHAR(10) NOT NULL, 
	http_status INTEGER, 
	content_type TEXT, 
	verdict VARCHAR(20), 
	rules JSON, 
	reason TEXT, 
	raw_hash VARCHAR(64), 
	content_hash VARCHAR(64), 
	section_hashes JSON, 
	converter_version VARCHAR(20), 
	body_chars INTEGER, 
	title TEXT, 
	published VARCHAR(40), 
	CONSTRAINT pk_imported_captures PRIMARY KEY (import_id, record), 
	CONSTRAINT fk_imported_captures_import_id FOREIGN KEY(import_id) REFERENCES imports (import_id)
);
CREATE TABLE imported_changes (
	change_id VARCHAR(64) NOT NULL, 
	import_id VARCHAR(36) NOT NULL, 
	record VARCHAR(500) NOT NULL, 
	from_import_id VARCHAR(36), 
	from_record VARCHAR(500), 
	kind VARCHAR(12) NOT NULL, 
	importance INTEGER NOT NULL, 
	details JSON NOT NULL, 
	described_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_imported_changes PRIMARY KEY (change_id), 
	CONSTRAINT fk_imported_changes_import_id_record FOREIGN KEY(import_id, record) REFERENCES imported_captures (import_id, record)
);
CREATE TABLE imports (
	import_id VARCHAR(36) NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	name TEXT NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	software TEXT, 
	imported_by VARCHAR(100) NOT NULL, 
	imported_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_imports PRIMARY KEY (import_id), 
	CONSTRAINT uq_imports_kind_sha256 UNIQUE (kind, sha256)
);
CREATE TABLE job_groups (
	job_id VARCHAR(36) NOT NULL, 
	"group" VARCHAR(255) NOT NULL, 
	CONSTRAINT pk_job_groups PRIMARY KEY (job_id, "group"), 
	CONSTRAINT fk_job_groups_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (job_id)
);
CREATE TABLE jobs (
	job_id VARCHAR(36) NOT NULL, 
	spider VARCHAR(200) NOT NULL, 
	sources JSON NOT NULL, 
	arguments JSON, 
	priority FLOAT NOT NULL, 
	operator VARCHAR(10) NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	attempt INTEGER DEFAULT '1' NOT NULL, 
	follows VARCHAR(36), 
	node VARCHAR(200), 
	owner VARCHAR(200), 
	queued_at VARCHAR(27) NOT NULL, 
	leased_at VARCHAR(27), 
	leased_until VARCHAR(27), 
	started_at VARCHAR(27), 
	ended_at VARCHAR(27), 
	outcome VARCHAR(20), 
	reason TEXT, 
	cancelled_by VARCHAR(100), 
	CONSTRAINT pk_jobs PRIMARY KEY (job_id)
);
CREATE TABLE leases (
	"group" VARCHAR(255) NOT NULL, 
	owner VARCHAR(200), 
	epoch INTEGER NOT NULL, 
	expires_at VARCHAR(27), 
	last_request_at VARCHAR(27), 
	delay_s FLOAT, 
	paused_until VARCHAR(27), 
	throttle_s FLOAT, 
	CONSTRAINT pk_leases PRIMARY KEY ("group")
);
CREATE TABLE list_exclusions (
	run_id VARCHAR(36) NOT NULL, 
	list_hash VARCHAR(64) NOT NULL, 
	mark INTEGER NOT NULL, 
	list_url TEXT NOT NULL, 
	list_object VARCHAR(64) NOT NULL, 
	marks_object VARCHAR(64) NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	reason TEXT NOT NULL, 
	reason_code VARCHAR(40) NOT NULL, 
	reason_detail JSON, 
	urls INTEGER NOT NULL, 
	settled_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_list_exclusions PRIMARY KEY (run_id, list_hash, mark), 
	CONSTRAINT fk_list_exclusions_run_id FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
CREATE TABLE log_heads (
	size INTEGER NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	note TEXT NOT NULL, 
	receipts TEXT NOT NULL, 
	frontier BLOB NOT NULL, 
	CONSTRAINT pk_log_heads PRIMARY KEY (size)
);
CREATE TABLE manifest_versions (
	manifest_version_id INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	version VARCHAR(50) NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	text TEXT NOT NULL, 
	activated_at VARCHAR(27) NOT NULL, 
	activated_by VARCHAR(100) NOT NULL, 
	active BOOLEAN NOT NULL, 
	CONSTRAINT pk_manifest_versions PRIMARY KEY (manifest_version_id), 
	CONSTRAINT uq_manifest_versions_name_sha256_activated_at UNIQUE (name, sha256, activated_at)
);
CREATE TABLE page_aliases (
	page_id INTEGER NOT NULL, 
	url_hash VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	kind VARCHAR(12) NOT NULL, 
	seen_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_page_aliases PRIMARY KEY (page_id, url_hash), 
	CONSTRAINT fk_page_aliases_page_id FOREIGN KEY(page_id) REFERENCES pages (page_id)
);
CREATE TABLE page_links (
	page_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	url TEXT NOT NULL, 
	CONSTRAINT pk_page_links PRIMARY KEY (page_id, position), 
	CONSTRAINT fk_page_links_page_id FOREIGN KEY(page_id) REFERENCES pages (page_id)
);
CREATE TABLE page_validators (
	page_id INTEGER NOT NULL, 
	tier VARCHAR(20) NOT NULL, 
	etag TEXT, 
	last_modified TEXT, 
	raw_hash VARCHAR(64) NOT NULL, 
	seen_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_page_validators PRIMARY KEY (page_id, tier), 
	CONSTRAINT fk_page_validators_page_id FOREIGN KEY(page_id) REFERENCES pages (page_id)
);
CREATE TABLE pages (
	page_id INTEGER NOT NULL, 
	source_id VARCHAR(200) NOT NULL, 
	url TEXT NOT NULL, 
	url_hash VARCHAR(64) NOT NULL, 
	title TEXT, 
	first_seen_at VARCHAR(27) NOT NULL, 
	last_seen_at VARCHAR(27), 
	missing_since VARCHAR(27), 
	gone_at VARCHAR(27), 
	last_seq INTEGER DEFAULT '0' NOT NULL, 
	content_hash VARCHAR(64), 
	body_chars INTEGER, next_url TEXT, 
	CONSTRAINT pk_pages PRIMARY KEY (page_id), 
	CONSTRAINT uq_pages_source_id_url_hash UNIQUE (source_id, url_hash)
);
CREATE TABLE permits (
	owner VARCHAR(200) NOT NULL, 
	permits INTEGER NOT NULL, 
	wanted INTEGER NOT NULL, 
	expires_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_permits PRIMARY KEY (owner)
);
CREATE TABLE robots_seen (
	run_id VARCHAR(36) NOT NULL, 
	origin VARCHAR(300) NOT NULL, 
	fetched_at VARCHAR(27) NOT NULL, 
	status INTEGER, 
	outcome VARCHAR(12) NOT NULL, 
	reason TEXT, 
	object VARCHAR(64), 
	crawl_delay_s FLOAT, 
	CONSTRAINT pk_robots_seen PRIMARY KEY (run_id, origin), 
	CONSTRAINT fk_robots_seen_run_id FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
CREATE TABLE run_summaries (
	run_id VARCHAR(36) NOT NULL, 
	seq INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	text TEXT NOT NULL, 
	made_at VARCHAR(27) NOT NULL, 
	written BOOLEAN NOT NULL, 
	CONSTRAINT pk_run_summaries PRIMARY KEY (run_id, seq), 
	CONSTRAINT uq_run_summaries_path UNIQUE (path), 
	CONSTRAINT fk_run_summaries_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
CREATE TABLE run_totals (
	state VARCHAR(12) NOT NULL, 
	method VARCHAR(20) NOT NULL, 
	runs INTEGER NOT NULL, 
	requests INTEGER NOT NULL, 
	browser_pages INTEGER NOT NULL, 
	seconds FLOAT NOT NULL, 
	captured INTEGER NOT NULL, 
	unchanged INTEGER NOT NULL, 
	excluded INTEGER NOT NULL, 
	failed INTEGER NOT NULL, 
	gone INTEGER NOT NULL, 
	CONSTRAINT pk_run_totals PRIMARY KEY (state, method)
);
CREATE TABLE run_urls (
	run_id VARCHAR(36) NOT NULL, 
	url_hash VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	reason TEXT, 
	depth INTEGER NOT NULL, 
	found_on TEXT, 
	found_by VARCHAR(10) NOT NULL, 
	kind VARCHAR(10) DEFAULT 'page' NOT NULL, 
	tier VARCHAR(20), 
	verdict VARCHAR(20), 
	attempts INTEGER DEFAULT '0' NOT NULL, 
	settled_at VARCHAR(27), lastmod VARCHAR(40), reason_code VARCHAR(40), reason_detail JSON, rank INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_run_urls PRIMARY KEY (run_id, url_hash), 
	CONSTRAINT ck_run_urls_state CHECK (state IN ('pending', 'captured', 'unchanged', 'excluded', 'failed', 'gone')), 
	CONSTRAINT fk_run_urls_run_id FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
CREATE TABLE runs (
	run_id VARCHAR(36) NOT NULL, 
	source_id VARCHAR(200) NOT NULL, 
	manifest_version VARCHAR(50) NOT NULL, 
	method VARCHAR(20) NOT NULL, 
	state VARCHAR(12) NOT NULL, 
	reason TEXT, 
	operator VARCHAR(10) NOT NULL, 
	job_id VARCHAR(36) NOT NULL, 
	started_at VARCHAR(27) NOT NULL, 
	resumed_at VARCHAR(27), 
	finished_at VARCHAR(27), 
	counts JSON, 
	requests INTEGER DEFAULT '0' NOT NULL, 
	browser_pages INTEGER DEFAULT '0' NOT NULL, 
	credits INTEGER DEFAULT '0' NOT NULL, seconds FLOAT DEFAULT '0' NOT NULL, reason_code VARCHAR(40), reason_detail JSON, compacted INTEGER DEFAULT '0' NOT NULL, plugins JSON, 
	CONSTRAINT pk_runs PRIMARY KEY (run_id), 
	CONSTRAINT ck_runs_state CHECK (state IN ('running', 'complete', 'partial', 'incomplete', 'suspect', 'failed', 'cancelled'))
);
CREATE TABLE sessions (
	token_hash VARCHAR(64) NOT NULL, 
	user_name VARCHAR(100) NOT NULL, 
	started_at VARCHAR(27) NOT NULL, 
	seen_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (token_hash)
);
CREATE TABLE sign_in_failures (
	key_hash VARCHAR(64) NOT NULL, 
	failed INTEGER NOT NULL, 
	since VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_sign_in_failures PRIMARY KEY (key_hash)
);
CREATE TABLE source_state (
	source_id VARCHAR(200) NOT NULL, 
	paused_by VARCHAR(20), 
	paused_reason TEXT, 
	paused_at VARCHAR(27), 
	failures_in_row INTEGER DEFAULT '0' NOT NULL, 
	last_run_id VARCHAR(36), 
	last_checked_at VARCHAR(27), 
	last_changed_at VARCHAR(27), 
	interval_factor INTEGER DEFAULT '1' NOT NULL, 
	good_runs_in_row INTEGER DEFAULT '0' NOT NULL, next_run_at VARCHAR(27), 
	CONSTRAINT pk_source_state PRIMARY KEY (source_id)
);
CREATE TABLE tier_memory (
	source_id VARCHAR(200) NOT NULL, 
	template_hash VARCHAR(64) NOT NULL, 
	template TEXT NOT NULL, 
	tier VARCHAR(20) NOT NULL, 
	worked_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_tier_memory PRIMARY KEY (source_id, template_hash)
);
CREATE TABLE unlogged_errors (
	audit_id INTEGER NOT NULL, 
	CONSTRAINT pk_unlogged_errors PRIMARY KEY (audit_id), 
	CONSTRAINT fk_unlogged_errors_audit_id_audit FOREIGN KEY(audit_id) REFERENCES audit (audit_id)
);
CREATE TABLE users (
	name VARCHAR(100) NOT NULL, 
	role VARCHAR(20) NOT NULL, 
	password_hash TEXT, 
	created_at VARCHAR(27) NOT NULL, 
	password_at VARCHAR(27), 
	seen_at VARCHAR(27), 
	CONSTRAINT pk_users PRIMARY KEY (name)
);
CREATE TABLE versions (
	page_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	run_id VARCHAR(36) NOT NULL, 
	captured_at VARCHAR(27) NOT NULL, 
	change_type VARCHAR(10) NOT NULL, 
	content_hash VARCHAR(64) NOT NULL, 
	html_hash VARCHAR(64), 
	raw_object VARCHAR(64) NOT NULL, 
	body_object VARCHAR(64) NOT NULL, 
	section_hashes JSON NOT NULL, 
	converter_version VARCHAR(20) NOT NULL, 
	tier VARCHAR(20) NOT NULL, 
	title TEXT, 
	published VARCHAR(40), 
	effective VARCHAR(40), 
	publisher_version TEXT, screenshot_object VARCHAR(64), 
	CONSTRAINT pk_versions PRIMARY KEY (page_id, seq), 
	CONSTRAINT fk_versions_page_id FOREIGN KEY(page_id) REFERENCES pages (page_id), 
	CONSTRAINT fk_versions_run_id FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
CREATE TABLE writers (
	writer VARCHAR(36) NOT NULL, 
	number INTEGER NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_writers PRIMARY KEY (writer)
);
CREATE INDEX ix_runs_source_started ON runs (source_id, started_at);
CREATE UNIQUE INDEX uq_runs_open_source ON runs (source_id) WHERE state IN ('running', 'partial');
CREATE INDEX ix_run_urls_state ON run_urls (run_id, state);
CREATE INDEX ix_versions_captured ON versions (page_id, captured_at);
CREATE INDEX ix_envelopes_page ON envelopes (source_id, url_hash);
CREATE INDEX ix_envelopes_state ON envelopes (state);
CREATE INDEX ix_audit_source_time ON audit (manifest_id, timestamp);
CREATE INDEX ix_audit_time ON audit (timestamp);
CREATE INDEX ix_audit_url_time ON audit (url_hash, timestamp);
CREATE UNIQUE INDEX uq_alerts_open ON alerts (source_id, event, cause) WHERE cleared_at IS NULL;
CREATE INDEX ix_costs_provider_time ON costs (provider, reserved_at);
CREATE UNIQUE INDEX uq_manifest_versions_active ON manifest_versions (name) WHERE active = 1;
CREATE TRIGGER audit_refuses_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_refuses_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_refuses_replace BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE audit_id = NEW.audit_id OR (run_id = NEW.run_id AND seq = NEW.seq)) BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE INDEX ix_jobs_order ON jobs (state, priority, queued_at);
CREATE INDEX ix_envelopes_announced ON envelopes (announced_at, staged_at);
CREATE INDEX ix_envelopes_confirmed ON envelopes (confirmed_at);
CREATE INDEX ix_runs_started ON runs (started_at);
CREATE INDEX ix_sessions_user ON sessions (user_name);
CREATE INDEX ix_versions_time ON versions (captured_at, page_id);
CREATE INDEX ix_audit_failed_source ON audit (kind, manifest_id, timestamp) WHERE state = 'failed' AND kind = 'page';
CREATE INDEX ix_audit_failed_high ON audit (kind, timestamp) WHERE state = 'failed' AND kind = 'page' AND verdict IN ('captcha', 'challenge', 'denied', 'filtered', 'login_wall', 'not_found', 'parked', 'soft_404');
CREATE INDEX ix_audit_failed_warning ON audit (kind, timestamp) WHERE state = 'failed' AND kind = 'page' AND verdict NOT IN ('captcha', 'challenge', 'denied', 'filtered', 'login_wall', 'not_found', 'parked', 'soft_404', 'maintenance', 'rate_limited', 'server_error');
CREATE INDEX ix_audit_failed_info ON audit (kind, timestamp) WHERE state = 'failed' AND kind = 'page' AND (verdict IS NULL OR verdict IN ('maintenance', 'rate_limited', 'server_error'));
CREATE UNIQUE INDEX uq_corpus_runs_open ON corpus_runs (domain) WHERE ended_at IS NULL;
CREATE INDEX ix_corpus_runs_domain ON corpus_runs (domain, started_at);
CREATE INDEX ix_corpus_pages_decision ON corpus_pages (run_id, decision);
CREATE INDEX ix_costs_open ON costs (reserved_at) WHERE settled_at IS NULL;
CREATE INDEX ix_audit_state_time ON audit (state, timestamp) WHERE state != 'unchanged';
CREATE INDEX ix_sign_in_failures_since ON sign_in_failures (since);
CREATE TRIGGER fact_leaves_refuse_update BEFORE UPDATE ON fact_leaves BEGIN SELECT RAISE(ABORT, 'the log of facts is append-only'); END;
CREATE TRIGGER fact_leaves_refuse_delete BEFORE DELETE ON fact_leaves BEGIN SELECT RAISE(ABORT, 'the log of facts is append-only'); END;
CREATE TRIGGER fact_leaves_refuse_replace BEFORE INSERT ON fact_leaves WHEN EXISTS (SELECT 1 FROM fact_leaves WHERE position = NEW.position) BEGIN SELECT RAISE(ABORT, 'the log of facts is append-only'); END;
CREATE TRIGGER log_heads_refuse_update BEFORE UPDATE OF size, at, note, frontier ON log_heads BEGIN SELECT RAISE(ABORT, 'signed heads are append-only'); END;
CREATE TRIGGER log_heads_refuse_delete BEFORE DELETE ON log_heads BEGIN SELECT RAISE(ABORT, 'signed heads are append-only'); END;
CREATE TRIGGER log_heads_refuse_replace BEFORE INSERT ON log_heads WHEN EXISTS (SELECT 1 FROM log_heads WHERE size = NEW.size) BEGIN SELECT RAISE(ABORT, 'signed heads are append-only'); END;
CREATE INDEX ix_changes_source ON changes (source_id, at);
CREATE INDEX ix_actions_target ON actions (action, target);
CREATE INDEX ix_run_urls_pending ON run_urls (run_id, rank, depth, url_hash) WHERE state = 'pending';
CREATE INDEX ix_api_tokens_user ON api_tokens (user_name);
CREATE INDEX ix_imported_captures_url ON imported_captures (url_hash, captured_at);
CREATE INDEX ix_imported_captures_source ON imported_captures (source_id, captured_at);
CREATE INDEX ix_jobs_started ON jobs (started_at);
CREATE INDEX ix_jobs_ended ON jobs (ended_at);
CREATE INDEX ix_jobs_outcome ON jobs (outcome, ended_at);
CREATE INDEX ix_runs_state ON runs (state, source_id, finished_at);
CREATE INDEX ix_versions_run ON versions (run_id);
CREATE INDEX ix_imported_changes_capture ON imported_changes (import_id, record);
CREATE INDEX ix_pages_url ON pages (url_hash);
CREATE INDEX ix_page_aliases_url ON page_aliases (url_hash);
CREATE INDEX ix_versions_modified ON versions (captured_at, run_id) WHERE change_type = 'modified';
CREATE TRIGGER runs_count_insert AFTER INSERT ON runs WHEN NEW.state NOT IN ('running', 'partial') BEGIN INSERT INTO run_totals (state, method, runs, requests, browser_pages, seconds, captured, unchanged, excluded, failed, gone) SELECT NEW.state, NEW.method, +1, +NEW.requests, +NEW.browser_pages, +NEW.seconds, +coalesce(json_extract(NEW.counts, '$.captured'), 0), +coalesce(json_extract(NEW.counts, '$.unchanged'), 0), +coalesce(json_extract(NEW.counts, '$.excluded'), 0), +coalesce(json_extract(NEW.counts, '$.failed'), 0), +coalesce(json_extract(NEW.counts, '$.gone'), 0) WHERE NEW.state NOT IN ('running', 'partial') ON CONFLICT (state, method) DO UPDATE SET runs = run_totals.runs + excluded.runs, requests = run_totals.requests + excluded.requests, browser_pages = run_totals.browser_pages + excluded.browser_pages, seconds = run_totals.seconds + excluded.seconds, captured = run_totals.captured + excluded.captured, unchanged = run_totals.unchanged + excluded.unchanged, excluded = run_totals.excluded + excluded.excluded, failed = run_totals.failed + excluded.failed, gone = run_totals.gone + excluded.gone; END;
CREATE TRIGGER runs_count_update AFTER UPDATE ON runs WHEN OLD.state NOT IN ('running', 'partial') OR NEW.state NOT IN ('running', 'partial') BEGIN INSERT INTO change_totals (change_type, versions) SELECT change_type, CASE WHEN NEW.state NOT IN ('running', 'partial') THEN count(*) ELSE -count(*) END FROM versions WHERE run_id = NEW.run_id AND (OLD.state NOT IN ('running', 'partial')) <> (NEW.state NOT IN ('running', 'partial')) GROUP BY change_type ORDER BY change_type ON CONFLICT (change_type) DO UPDATE SET versions = change_totals.versions + excluded.versions;INSERT INTO run_totals (state, method, runs, requests, browser_pages, seconds, captured, unchanged, excluded, failed, gone) SELECT OLD.state, OLD.method, -1, -OLD.requests, -OLD.browser_pages, -OLD.seconds, -coalesce(json_extract(OLD.counts, '$.captured'), 0), -coalesce(json_extract(OLD.counts, '$.unchanged'), 0), -coalesce(json_extract(OLD.counts, '$.excluded'), 0), -coalesce(json_extract(OLD.counts, '$.failed'), 0), -coalesce(json_extract(OLD.counts, '$.gone'), 0) WHERE OLD.state NOT IN ('running', 'partial') ON CONFLICT (state, method) DO UPDATE SET runs = run_totals.runs + excluded.runs, requests = run_totals.requests + excluded.requests, browser_pages = run_totals.browser_pages + excluded.browser_pages, seconds = run_totals.seconds + excluded.seconds, captured = run_totals.captured + excluded.captured, unchanged = run_totals.unchanged + excluded.unchanged, excluded = run_totals.excluded + excluded.excluded, failed = run_totals.failed + excluded.failed, gone = run_totals.gone + excluded.gone;INSERT INTO run_totals (state, method, runs, requests, browser_pages, seconds, captured, unchanged, excluded, failed, gone) SELECT NEW.state, NEW.method, +1, +NEW.requests, +NEW.browser_pages, +NEW.seconds, +coalesce(json_extract(NEW.counts, '$.captured'), 0), +coalesce(json_extract(NEW.counts, '$.unchanged'), 0), +coalesce(json_extract(NEW.counts, '$.excluded'), 0), +coalesce(json_extract(NEW.counts, '$.failed'), 0), +coalesce(json_extract(NEW.counts, '$.gone'), 0) WHERE NEW.state NOT IN ('running', 'partial') ON CONFLICT (state, method) DO UPDATE SET runs = run_totals.runs + excluded.runs, requests = run_totals.requests + excluded.requests, browser_pages = run_totals.browser_pages + excluded.browser_pages, seconds = run_totals.seconds + excluded.seconds, captured = run_totals.captured + excluded.captured, unchanged = run_totals.unchanged + excluded.unchanged, excluded = run_totals.excluded + excluded.excluded, failed = run_totals.failed + excluded.failed, gone = run_totals.gone + excluded.gone; END;
CREATE TRIGGER versions_count_insert AFTER INSERT ON versions WHEN true BEGIN INSERT INTO change_totals (change_type, versions) SELECT NEW.change_type, 1 WHERE (SELECT state NOT IN ('running', 'partial') FROM runs WHERE run_id = NEW.run_id) ON CONFLICT (change_type) DO UPDATE SET versions = change_totals.versions + excluded.versions; END;
CREATE INDEX ix_change_weights_shape ON change_weights (site, shape);
CREATE INDEX ix_change_weights_edit ON change_weights (edit);
CREATE INDEX ix_change_weights_publication ON change_weights (publication);
CREATE INDEX ix_changes_time ON changes (at, page_id, seq, importance, source_id);
CREATE INDEX ix_pages_held ON pages (source_id, content_hash) WHERE last_seq > 0 AND gone_at IS NULL;
