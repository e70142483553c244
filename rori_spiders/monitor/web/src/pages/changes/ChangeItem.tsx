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

type Given = { change: PageChange; same: number; isAlone: boolean; mayAct: boolean; busy: boolean; shown: boolean; show: (shown: boolean) => void; decide: (decision: Decision) => void; assign: () => void; mark: (read: boolean) => void }

/** One change: how much it matters, its words, where to read it whole, and what a person said of it. */
export function ChangeItem({ change, same, isAlone, mayAct, busy, shown, show, decide, assign, mark }: Given) {
  const { page_id, from_version, to_version } = change
  const [noise, setNoise] = useState(false)
  return (
    <li data-entry={change.change_id} tabIndex={-1} className="border-t px-4 py-3 first:border-0 focus:bg-raised focus:outline-2 focus:-outline-offset-2 focus:outline-accent">
      <p className="[overflow-wrap:anywhere]">
        {change.importance === 'high' ? <StateBadge state="high" /> : <Badge tone={change.importance === 'medium' ? 'new' : 'idle'}>{change.importance}</Badge>}{' '}
        <span className={change.read_at ? '' : 'font-semibold'}>
          {!change.read_at && <span className="sr-only">Unread: </span>}
          {hideEmphasis(change.sentence)}
        </span>
        {same > 0 && <span className="text-quiet"> (the same on {pluralize(same, 'other page')})</span>}
      </p>
      <p className="mt-1 text-sm text-quiet [overflow-wrap:anywhere]">
        {change.title && <span className="text-ink">{change.title} · </span>}
        {change.kind_name}
        {change.reasons.length > 0 && <span className="max-md:hidden">: {[...change.reasons.slice(0, 3), ...change.order_reasons].join('; ')}</span>}
        {change.effective && ` · effective ${change.effective}`} · <SourceLink id={change.source_id} />{' '}
        <span className="max-md:hidden">
          · <SafeLink url={change.url} /> · <Time at={change.at} />
        </span>
      </p>
      {change.review !== 'open' && (
        <p className="mt-1 text-sm [overflow-wrap:anywhere]">
          <Badge tone={change.review === 'material' ? 'warn' : 'idle'}>{DECISIONS[change.review]}</Badge> {change.reviewed_by}, <Time at={change.reviewed_at} />
          {change.reason && `: ${change.reason}`}
        </p>
      )}
      {!change.assignee && change.owner && <p className="mt-1 text-sm text-quiet">Owner: {change.owner}</p>}
      {change.assignee && (
        <p className="mt-1 text-sm">
          <Badge tone={change.overdue ? 'bad' : 'new'}>{change.overdue ? 'Overdue' : 'Assigned'}</Badge> {change.assignee}
          {change.due_on && `, due ${change.due_on}`}
        </p>
      )}
      {change.comments.map((comment) => (
        <p key={comment.at + comment.text} className="mt-1 border-s-2 ps-2 text-sm [overflow-wrap:anywhere]">
          <span className="text-quiet">{comment.by}, <Time at={comment.at} />:</span> {comment.text}
        </p>
      ))}
      <div className="mt-2 flex flex-wrap items-center gap-2 text-sm">
        {from_version && (
          <Button aria-expanded={shown} onClick={() => show(!shown)}>
            {shown ? 'Hide difference' : 'Show difference'}
            <span className="sr-only">: {change.title ?? change.url}</span>
          </Button>
        )}
        <Link
          to="/pages/$pageId"
          params={{ pageId: String(page_id) }}
          search={from_version ? { tab: 'compare', from: from_version, to: to_version } : { tab: 'text', version: to_version }}
          onClick={() => change.read_at || mark(true)}
          className="text-accent underline"
        >
          {from_version ? 'Compare' : 'Read'}
          <span className="sr-only">: {change.title ?? change.url}</span>
        </Link>
        {mayAct && change.review === 'open' && (
          <>
            <Button disabled={busy} onClick={() => decide('material')}>
              Material
            </Button>
            <Button disabled={busy} onClick={() => decide('not_material')}>
              Not material
            </Button>
          </>
        )}
        {mayAct && change.review === 'material' && (
          <Button disabled={busy} onClick={() => decide('closed')}>
            Close
          </Button>
        )}
        {mayAct && change.review !== 'open' && (
          <Button disabled={busy} onClick={() => decide('open')}>
            Undo review
          </Button>
        )}
        {from_version && change.review === 'not_material' && (
          <Button aria-expanded={noise} onClick={() => setNoise(!noise)}>
            {noise ? 'Hide noise lines' : 'Propose noise lines'}
            <span className="sr-only">: {change.title ?? change.url}</span>
          </Button>
        )}
        <Button className={isAlone ? '' : 'max-md:hidden'} onClick={() => mark(!change.read_at)}>
          {change.read_at ? 'Mark unread' : 'Mark read'}
          <span className="sr-only">: {change.title ?? change.url}</span>
        </Button>
        {mayAct && (
          <Button disabled={busy} onClick={assign}>
            Assign<span className="sr-only"> or comment: {change.title ?? change.url}</span>
          </Button>
        )}
      </div>
      {shown && from_version && (
        <div className="mt-3 text-sm">
          <PageDifference pageId={page_id} from={from_version} to={to_version} inList />
        </div>
      )}
      {noise && change.review === 'not_material' && (
        <div className="mt-3 text-sm">
          <NoiseProposal changeId={change.change_id} />
        </div>
      )}
    </li>
  )
}
