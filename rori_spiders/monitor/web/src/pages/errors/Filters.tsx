import { useCallback } from 'react'
import { Select, DateInput, FilterBar, SearchBox } from '@/components/forms/filters'
import type { Chosen } from './queries'

const VERDICTS = [
  'age_wall',
  'captcha',
  'challenge',
  'consent_wall',
  'content',
  'denied',
  'empty',
  'filtered',
  'js_shell',
  'login_wall',
  'maintenance',
  'not_found',
  'parked',
  'rate_limited',
  'redirect_stub',
  'server_error',
  'soft_404',
  'unknown',
]
const TIERS = ['official', 'mediawiki', 'http', 'browser', 'zyte', 'firecrawl', 'crawl4ai', 'scrapingant']
const RESOLVED: [string, string][] = [
  ['false', 'Unresolved'],
  ['true', 'Resolved'],
]
const SORTS: [string, string][] = [
  ['oldest', 'Oldest first'],
  ['severity', 'Severity, worst first'],
]
const NOTHING: Chosen = {
  q: undefined,
  source: undefined,
  verdict: undefined,
  status: undefined,
  severity: undefined,
  tier: undefined,
  resolved: undefined,
  since: undefined,
  until: undefined,
}

/** Which failures; the order is the list's alone. All of it stands in the address. */
export function Filters({ chosen, change }: { chosen: Chosen; change: (changed: Chosen) => void }) {
  const find = useCallback((q: string | undefined) => change({ q }), [change])
  const bySource = useCallback((source: string | undefined) => change({ source }), [change])
  const byStatus = useCallback((status: string | undefined) => change({ status }), [change])
  const set = Object.keys(NOTHING).filter((name) => chosen[name as keyof Chosen])
  const isMoreSet = chosen.sort !== undefined || set.some((name) => name !== 'q' && name !== 'resolved')
  return (
    <FilterBar
      set={set.length}
      clear={() => change(NOTHING)}
      isMoreSet={isMoreSet}
      more={
        <>
          {chosen.view === 'all' && <Select label="Sort by" value={chosen.sort} all="Newest first" options={SORTS} pick={(sort) => change({ sort })} />}
          <Select label="Severity" value={chosen.severity} options={['high', 'warning', 'info']} pick={(severity) => change({ severity })} />
          <Select label="Verdict" value={chosen.verdict} options={VERDICTS} pick={(verdict) => change({ verdict })} />
          <Select label="Tier" value={chosen.tier} options={TIERS} pick={(tier) => change({ tier })} />
          <SearchBox label="Source" value={chosen.source} find={bySource} hint="Source ID" />
          <SearchBox label="HTTP status" value={chosen.status} find={byStatus} hint="503" narrow />
          <DateInput label="From (UTC)" value={chosen.since} pick={(since) => change({ since })} />
          <DateInput label="To (UTC)" value={chosen.until} pick={(until) => change({ until })} />
        </>
      }
    >
      <SearchBox label="Search" value={chosen.q} find={find} hint="URL, reason, error" />
      <Select label="Resolution" value={chosen.resolved} options={RESOLVED} pick={(resolved) => change({ resolved })} />
    </FilterBar>
  )
}
