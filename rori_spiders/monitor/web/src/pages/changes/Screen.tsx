import { useCallback, useRef } from 'react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSession } from '@/api/session'
import { InfiniteList } from '@/components/data/InfiniteList'
import { InlineCode } from '@/components/data/InlineCode'
import { EmptyState, ErrorMessage } from '@/components/feedback/states'
import { showToast } from '@/components/feedback/Toast'
import { Button } from '@/components/forms/Button'
import { useAction } from '@/components/forms/useAction'
import { Heading } from '@/components/layout/Heading'
import { pluralize } from '@/lib/pluralize'
import { useKeys } from '@/lib/useKeys'
import { ChangeItem } from './ChangeItem'
import { Filters } from './Filters'
import { groupChanges, type Group } from './groups'
import { changesQuery, reviewChanges, type Chosen, type Decision } from './queries'
import { changesRoute } from './route'

const SAYS = { material: 'Marked as material', not_material: 'Marked as not material', open: 'Review taken back' } as const

type Order = { changes: string[]; decision: Decision }

/** What changed over all sources, by day and publication, and what people decided of it. */
export function Changes() {
  const chosen: Chosen = changesRoute.useSearch()
  const navigate = changesRoute.useNavigate()
  const { role } = useSession()
  const list = useRef<HTMLDivElement>(null)
  const change = useCallback(
    (changed: Chosen) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: 'q' in changed, resetScroll: false }),
    [navigate],
  )
  const query = useInfiniteQuery(changesQuery(chosen))
  const review = useAction(
    ({ changes, decision }: Order) => reviewChanges(changes, decision),
    (_, { changes, decision }) => showToast(`${SAYS[decision]}: ${pluralize(changes.length, 'change')}.`),
  )
  const mayAct = role === 'operator'
  const decide = (changes: string[], decision: Decision) => review.mutate({ changes, decision })
  useKeys({ j: () => moveFocus(list.current, 1), k: () => moveFocus(list.current, -1) })
  const first = query.data?.pages[0]
  return (
    <>
      <Heading title="Changes" />
      <p className="mb-3 max-w-prose text-sm text-quiet">
        {first && <strong className="text-ink">{first.open.high.toLocaleString()} high, {first.open.medium.toLocaleString()} medium, {first.open.low.toLocaleString()} low to review. </strong>}
        Texts that changed, the newest first. First captures of a source are not listed. <span className="max-md:hidden">Keys: <kbd>j</kbd> next, <kbd>k</kbd> previous.</span>
      </p>
      {first !== undefined && first.undescribed > 0 && (
        <p role="status" className="mb-3 text-sm text-warn">
          <InlineCode text={`${pluralize(first.undescribed, 'new version')} not compared yet: run \`scrapy changes\`.`} />
        </p>
      )}
      <Filters chosen={chosen} change={change} />
      {review.isError && <ErrorMessage error={review.error} />}
      <div ref={list}>
        <InfiniteList query={query} what="the changes">
          {(items) => (items.length === 0 ? <Nothing chosen={chosen} /> : groupChanges(items).map((group) => <Publication key={group.key} group={group} mayAct={mayAct} busy={review.isPending} decide={decide} />))}
        </InfiniteList>
      </div>
    </>
  )
}

function Nothing({ chosen }: { chosen: Chosen }) {
  const isFiltered = Object.values(chosen).some(Boolean)
  return <EmptyState title={isFiltered ? 'No matching changes.' : 'Nothing to review.'}>{isFiltered ? 'Clear a filter or choose other dates.' : 'Changes appear here after a job that finds one.'}</EmptyState>
}

function Publication({ group, mayAct, busy, decide }: { group: Group; mayAct: boolean; busy: boolean; decide: (changes: string[], decision: Decision) => void }) {
  const open = group.changes.filter((change) => change.review === 'open').map((change) => change.change_id)
  return (
    <section aria-label={`${group.name}, ${group.day}`} className="mb-4 rounded-lg border bg-card">
      <div className="flex flex-wrap items-center justify-between gap-2 rounded-t-lg border-b bg-raised px-4 py-2">
        <h2 className="font-semibold [overflow-wrap:anywhere]">
          {group.name} <span className="font-normal text-quiet">{group.day} · {pluralize(group.changes.length, 'change')}</span>
        </h2>
        {mayAct && open.length > 1 && (
          <Button disabled={busy} onClick={() => decide(open, 'not_material')}>
            All not material<span className="sr-only">: {group.name}</span>
          </Button>
        )}
      </div>
      <ul>
        {group.changes.map((change) => (
          <ChangeItem key={change.change_id} change={change} mayAct={mayAct} busy={busy} decide={(decision) => decide([change.change_id], decision)} />
        ))}
      </ul>
    </section>
  )
}

/** Moves the focus to the next or the previous change; at an end it stays. */
function moveFocus(place: HTMLElement | null, step: 1 | -1) {
  const all = [...(place?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])]
  const here = all.findIndex((one) => one.contains(document.activeElement))
  const next = all[here < 0 ? 0 : here + step]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}
