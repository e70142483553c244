import { useState } from 'react'
import { Link } from '@tanstack/react-router'
import { Badge, StateBadge } from '@/components/feedback/Badge'
import { Button } from '@/components/forms/Button'
import { SafeLink } from '@/components/data/SafeLink'
import { SourceLink } from '@/components/data/SourceLink'
import { Time } from '@/components/data/Time'
import { hideEmphasis } from '@/diff/emphasis'
import { pluralize } from '@/lib/pluralize'
import { PageDifference } from '@/diff/PageDifference'
import { NoiseProposal } from './NoiseProposal'
import type { Decision, PageChange } from './queries'

const DECISIONS = { material: 'Material', not_material: 'Not material', closed: 'Closed', open: 'To review' } as const

/** Whether the sentence begins with the section that the page's *name* says: "12 CFR § 1024.8 Inspection | Regulations". */
function namesSection(sentence: string, name: string): boolean {
  const [heading = ''] = sentence.replace(/^(§ ?[\w.-]+)(?:\(\w+\))+/, '$1').split(': ', 1)
  return heading.startsWith('§') && name.slice(Math.max(0, name.indexOf('§'))).startsWith(heading)
}

type Given = { change: PageChange; same: number; publication: string | null; rest: { says: string; open: () => void } | null; mayAct: boolean; busy: boolean; shown: boolean; show: (shown: boolean) => void; decide: (decision: Decision) => void; assign: () => void; mark: (read: boolean) => void }

/** Thumbs want more than a mouse does: 40 pixels. */
export const SMALL = 'min-h-10 text-xs md:min-h-6 md:px-2 md:py-0'

/** One change: how much it matters, its words, why, and what a person said of it. *publication*: the name above it, if
 * it stands under one; *rest* opens what else is in its publication. All reasons stand with its difference. */
export function ChangeItem({ change, same, publication, rest, mayAct, busy, shown, show, decide, assign, mark }: Given) {
  const { page_id, from_version, to_version } = change
  const [noise, setNoise] = useState(false)
  const name = change.title ?? change.url
  const rare = shown ? '' : 'max-md:hidden'
  return (
    <li data-entry={change.change_id} tabIndex={-1} className="border-t px-4 py-1 text-sm first:border-0 focus:bg-raised focus:outline-2 focus:-outline-offset-2 focus:outline-accent">
      <p className={`[overflow-wrap:anywhere] max-md:text-[13px] max-md:leading-[18px] ${shown ? '' : 'line-clamp-5 md:line-clamp-2'}`}>
        {change.importance === 'high' ? <StateBadge state="high" /> : <Badge tone={change.importance === 'medium' ? 'new' : 'idle'}>{change.importance}</Badge>}{' '}
        <span className={change.read_at ? '' : 'font-semibold'}>
          {!change.read_at && <span className="sr-only">Unread: </span>}
          {hideEmphasis(change.sentence)}
        </span>
        {same > 0 && <span className="text-quiet"> (the same on {pluralize(same, 'other page')})</span>}
      </p>
      <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 md:flex-nowrap">
        <p className="min-w-0 grow basis-full text-xs text-quiet [overflow-wrap:anywhere] md:basis-0">
          {change.reasons[0] ?? change.kind_name}
          {change.passages > 1 && ` · ${change.passages} passages`} · {name !== publication && !namesSection(change.sentence, name) && <span className="text-ink">{name} · </span>}
          {change.effective && `effective ${change.effective} · `}
          <SourceLink id={change.source_id} /> · <Time at={change.at} />
        </p>
        <div className="flex flex-wrap items-center gap-2 md:flex-nowrap md:gap-1.5">
          {from_version && (
            <Button className={SMALL} aria-expanded={shown} onClick={() => show(!shown)}>
              {shown ? 'Hide difference' : 'Show difference'}
              <span className="sr-only">: {name}</span>
            </Button>
          )}
          <Link
            to="/pages/$pageId"
            params={{ pageId: String(page_id) }}
            search={from_version ? { tab: 'compare', from: from_version, to: to_version } : { tab: 'text', version: to_version }}
            onClick={() => change.read_at || mark(true)}
            className={`inline-flex items-center text-xs text-accent underline max-md:min-h-10 ${from_version ? rare : ''}`}
          >
            {from_version ? 'Compare' : 'Read'}
            <span className="sr-only">: {name}</span>
          </Link>
          {mayAct && change.review === 'open' && (
            <>
              <Button className={SMALL} disabled={busy} onClick={() => decide('material')}>
                Material
              </Button>
              <Button className={SMALL} disabled={busy} onClick={() => decide('not_material')}>
                Not material
              </Button>
            </>
          )}
          {mayAct && change.review === 'material' && (
            <Button className={SMALL} disabled={busy} onClick={() => decide('closed')}>
              Close
            </Button>
          )}
          {mayAct && change.review !== 'open' && (
            <Button className={SMALL} disabled={busy} onClick={() => decide('open')}>
              Undo review
            </Button>
          )}
          {from_version && change.review === 'not_material' && (
            <Button className={SMALL} aria-expanded={noise} onClick={() => setNoise(!noise)}>
              {noise ? 'Hide noise lines' : 'Propose noise lines'}
              <span className="sr-only">: {name}</span>
            </Button>
          )}
          <Button className={`${SMALL} ${from_version && mayAct ? rare : ''}`} onClick={() => mark(!change.read_at)}>
            {change.read_at ? 'Mark unread' : 'Mark read'}
            <span className="sr-only">: {name}</span>
          </Button>
          {mayAct && (
            <Button className={`${SMALL} ${from_version ? rare : ''}`} disabled={busy} onClick={assign}>
              Assign<span className="sr-only"> or comment: {name}</span>
            </Button>
          )}
          {rest && (
            <Button className={SMALL} aria-expanded={false} onClick={rest.open}>
              {rest.says}
              <span className="sr-only">: {name}</span>
            </Button>
          )}
        </div>
      </div>
      {change.review !== 'open' && (
        <p className="mt-1 [overflow-wrap:anywhere]">
          <Badge tone={change.review === 'material' ? 'warn' : 'idle'}>{DECISIONS[change.review]}</Badge> {change.reviewed_by}, <Time at={change.reviewed_at} />
          {change.reason && `: ${change.reason}`}
        </p>
      )}
      {!change.assignee && change.owner && <p className="mt-1 text-quiet">Owner: {change.owner}</p>}
      {change.assignee && (
        <p className="mt-1">
          <Badge tone={change.overdue ? 'bad' : 'new'}>{change.overdue ? 'Overdue' : 'Assigned'}</Badge> {change.assignee}
          {change.due_on && `, due ${change.due_on}`}
        </p>
      )}
      {change.comments.map((comment) => (
        <p key={comment.at + comment.text} className="mt-1 border-s-2 ps-2 [overflow-wrap:anywhere]">
          <span className="text-quiet">{comment.by}, <Time at={comment.at} />:</span> {comment.text}
        </p>
      ))}
      {shown && from_version && (
        <div className="mt-2">
          <p className="mb-2 text-xs text-quiet [overflow-wrap:anywhere]">
            {change.kind_name}: {[...change.reasons, ...change.order_reasons].join('; ')} · <SafeLink url={change.url} />
          </p>
          <PageDifference pageId={page_id} from={from_version} to={to_version} inList />
        </div>
      )}
      {noise && change.review === 'not_material' && (
        <div className="mt-2">
          <NoiseProposal changeId={change.change_id} />
        </div>
      )}
    </li>
  )
}
