import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useRef, useState } from 'react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
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
import { useWideScreen } from '@/lib/useMediaQuery'
import { command } from '@/lib/command'
import { AssignDialog } from './AssignDialog'
import { ChangeItem, SMALL } from './ChangeItem'
import { Filters } from './Filters'
import { ImportedChanges } from './ImportedChanges'
import { countChanges, countPages, countSame, foldChanges, groupChanges, type Group } from './groups'
import { assignChanges, changeSummaryQuery, changesQuery, commentChanges, markChanges, reviewChanges, type Assignment, type Chosen, type Decision, type PageChange } from './queries'
import { Summary } from './Summary'

const route = getRouteApi('/')

const SAYS = { material: 'Marked as material', not_material: 'Marked as not material', closed: 'Closed', open: 'Review taken back' } as const

type Order = { changes: string[]; decision: Decision }
type Task = { changes: readonly PageChange[]; assignment: Assignment }

/** What each change of the list needs of the screen. */
type Acts = { mayAct: boolean; busy: boolean; shown: string | null; show: (change: PageChange, shown: boolean) => void; decide: (changes: string[], decision: Decision) => void; assign: (changes: readonly PageChange[]) => void; mark: (changes: readonly PageChange[], read: boolean) => void }

/** What changed over all sources, by day and publication, and what people decided of it. */
export function Changes() {
  const chosen: Chosen = route.useSearch()
  return chosen.review === 'imported' ? <ImportedChanges chosen={chosen} /> : <CollectedChanges chosen={chosen} />
}

function CollectedChanges({ chosen }: { chosen: Chosen }) {
  const navigate = route.useNavigate()
  const { role } = useSession()
  const list = useRef<HTMLDivElement>(null)
  const change = useCallback(
    (changed: Chosen) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: 'q' in changed, resetScroll: false }),
    [navigate],
  )
  const query = useInfiniteQuery(changesQuery(chosen, useWideScreen() ? 50 : 6))
  const review = useAction(
    ({ changes, decision }: Order) => reviewChanges(changes, decision),
    (_, { changes, decision }) => showToast(`${SAYS[decision]}: ${pluralize(changes.length, 'change')}.`),
  )
  const mayAct = role === 'operator'
  const [shown, show] = useState<string | null>(null)
  const undo = useRef<(() => void) | null>(null)
  const decide = (changes: string[], decision: Decision) => {
    undo.current = decision === 'open' ? null : () => review.mutate({ changes, decision: 'open' })
    review.mutate({ changes, decision })
  }
  const [assigned, assign] = useState<readonly PageChange[] | null>(null)
  const assigning = useAction(recordTask, (_, { changes, assignment: { assignee } }: Task) => {
    assign(null)
    showToast(`${assignee ? `Assigned to ${assignee}` : 'Saved'}: ${pluralize(changes.length, 'change')}.`)
  })
  const saveTask = (changes: readonly PageChange[], assignment: Assignment) => {
    undo.current = () => restore(changes, assignment, assigning.mutate)
    assigning.mutate({ changes, assignment })
  }
  const marking = useAction(({ changes, read }: { changes: string[]; read: boolean }) => markChanges(changes, read), () => undefined)
  const mark = (changes: readonly PageChange[], read: boolean) => {
    const others = changes.filter((change) => Boolean(change.read_at) !== read)
    if (others.length > 0) marking.mutate({ changes: others.map((change) => change.change_id), read })
  }
  const open = (change: PageChange | undefined, isShown: boolean) => {
    show(isShown && change ? change.change_id : null)
    if (isShown && change && chosen.assigned !== 'unread') mark([change], true) // there it would leave the list
  }
  const decideFocused = (decision: Decision) => {
    const here = focusedChange(list.current)
    if (!here || review.isPending) return
    if (!moveFocus(list.current, 1)) moveFocus(list.current, -1) // the one decided may leave the list
    decide([here], decision)
  }
  const here = () => focusedChange(list.current)
  const items = query.data?.pages.flatMap((part) => part.items) ?? []
  const focused = () => items.find((change) => change.change_id === here())
  useKeys({
    j: () => void moveFocus(list.current, 1),
    k: () => void moveFocus(list.current, -1),
    o: () => open(focused(), here() !== shown),
    r: () => {
      const change = focused()
      if (change) mark([change], !change.read_at)
    },
    a: mayAct ? () => decideFocused('material') : undefined,
    e: mayAct ? () => decideFocused('not_material') : undefined,
    s: mayAct ? () => assign(items.filter((change) => change.change_id === here())) : undefined,
    u: mayAct
      ? () => {
          undo.current?.()
          undo.current = null
        }
      : undefined,
  })
  const { data: summary } = useQuery(changeSummaryQuery)
  const acts: Acts = { mayAct, busy: review.isPending || assigning.isPending, shown, show: open, decide, assign, mark }
  return (
    <>
      <Heading title="Changes">
        {summary && (
          <p className="grow text-sm font-semibold max-md:order-last max-md:w-full">
            {summary.open.high.toLocaleString()} high, {summary.open.medium.toLocaleString()} medium, {summary.open.low.toLocaleString()} low to review
          </p>
        )}
        <div className="-mb-5 max-md:-mb-3 max-md:has-aria-expanded:w-full">
          <Filters chosen={chosen} people={summary?.people ?? []} imported={summary?.imported ?? 0} change={change} />
        </div>
      </Heading>
      <div className="grid gap-4 max-md:gap-2 lg:grid-cols-[minmax(0,1fr)_18rem]">
        {summary && <div className="lg:order-last"><Summary summary={summary} mayAct={mayAct} /></div>}
        <div className="min-w-0">
          {summary !== undefined && summary.undescribed > 0 && (
            <p role="status" className="mb-3 text-sm text-warn">
              <InlineCode text={`${pluralize(summary.undescribed, 'new version')} not compared yet: run \`${command('changes')}\`.`} />
            </p>
          )}
          {review.isError && <ErrorMessage error={review.error} />}
          {assigned && assigned.length > 0 && (
            <AssignDialog changes={assigned} people={summary?.people ?? []} close={() => assign(null)} act={(assignment) => saveTask(assigned, assignment)} busy={assigning.isPending} error={assigning.error} />
          )}
          <div ref={list}>
            <InfiniteList query={query} what="the changes">
              {(items) => (items.length === 0 ? <Nothing chosen={chosen} /> : groupChanges(items, query.hasNextPage ? (chosen.order === 'newest' ? 'any' : 'last') : 'none').map((group) => <Publication key={group.key} group={group} acts={acts} />))}
            </InfiniteList>
          </div>
        </div>
      </div>
    </>
  )
}

function Nothing({ chosen }: { chosen: Chosen }) {
  const isFiltered = Object.values(chosen).some(Boolean)
  return <EmptyState title={isFiltered ? 'No matching changes.' : 'Nothing to review.'}>{isFiltered ? 'Clear a filter or choose other dates.' : 'Changes appear here after a job that finds one.'}</EmptyState>
}

function Publication({ group, acts: { mayAct, busy, shown, show, decide, assign, mark } }: { group: Group; acts: Acts }) {
  const [all, setAll] = useState(false)
  const { first, more } = foldChanges(group)
  const seen = all ? group.changes : first
  const open = group.changes.filter((change) => change.review === 'open').map((change) => change.change_id)
  const bulk = more && !all ? 'max-md:hidden' : '' // on a phone one decides of all once one sees them all
  const isOne = seen.length === 1 // it needs no name above it: what else is in the publication stands behind a button
  return (
    <section aria-label={`${group.name}, ${group.day}`} className="mb-0.5 rounded-lg border bg-card">
      {isOne ? (
        <h2 className="sr-only">{group.name}</h2>
      ) : (
        <div className={`flex items-center justify-between gap-x-2 gap-y-1 rounded-t-lg border-b bg-raised px-4 py-0.5 md:flex-wrap ${all ? 'flex-wrap' : ''}`}>
          <h2 className="text-sm font-semibold [overflow-wrap:anywhere]">
            {group.name} <span className="font-normal text-quiet">{group.day} · {pluralize(countChanges(group), 'change')} on {countPages(group)}</span>
          </h2>
          <div className="flex flex-wrap gap-1.5">
            {more && (
              <Button className={SMALL} aria-expanded={all} onClick={() => setAll(!all)}>
                {all ? `Show first ${first.length}` : more}
                <span className="sr-only">: {group.name}</span>
              </Button>
            )}
            {group.changes.some((change) => !change.read_at) && (
              <Button className={`${SMALL} ${bulk}`} onClick={() => mark(group.changes, true)}>
                Mark all read<span className="sr-only">: {group.name}</span>
              </Button>
            )}
            {mayAct && open.length > 1 && (
              <>
                <Button className={`${SMALL} ${bulk}`} disabled={busy} onClick={() => assign(group.changes)}>
                  Assign all<span className="sr-only">: {group.name}</span>
                </Button>
                <Button className={`${SMALL} ${bulk}`} disabled={busy} onClick={() => decide(open, 'not_material')}>
                  All not material<span className="sr-only">: {group.name}</span>
                </Button>
              </>
            )}
          </div>
        </div>
      )}
      <ul>
        {seen.map((change) => (
          <ChangeItem
            key={change.change_id}
            change={change}
            same={all ? 0 : countSame(group.changes, change)}
            publication={isOne ? null : group.name}
            rest={isOne && more ? { says: more, open: () => setAll(true) } : null}
            mayAct={mayAct}
            busy={busy}
            shown={shown === change.change_id}
            show={(isShown) => show(change, isShown)}
            decide={(decision) => decide([change.change_id], decision)}
            assign={() => assign([change])}
            mark={(read) => mark([change], read)}
          />
        ))}
      </ul>
    </section>
  )
}

/** A comment alone changes no assignment. */
async function recordTask({ changes, assignment }: Task) {
  const ids = changes.map((change) => change.change_id)
  const { assignee, due_on, comment } = assignment
  const stays = changes.every((change) => change.assignee === assignee && change.due_on === due_on)
  if (!stays) await assignChanges(ids, assignment)
  else if (comment) await commentChanges(ids, comment)
}

/** Gives each change the assignment back that it had; comments stay. */
function restore(changes: readonly PageChange[], { assignee, due_on }: Assignment, record: (task: Task) => void) {
  const before = new Map<string, PageChange[]>()
  for (const change of changes) {
    const key = `${change.assignee} ${change.due_on}`
    before.set(key, [...(before.get(key) ?? []), change])
  }
  for (const some of before.values()) {
    const now = some.map((change) => ({ ...change, assignee, due_on: due_on ?? null }))
    record({ changes: now, assignment: { assignee: some[0]?.assignee ?? null, due_on: some[0]?.due_on ?? null } })
  }
}

/** The change that has the focus, or in which something has it. */
function focusedChange(place: HTMLElement | null): string | null {
  const entry = document.activeElement?.closest<HTMLElement>('[data-entry]')
  return entry && place?.contains(entry) ? (entry.dataset.entry ?? null) : null
}

/** Moves the focus to the next or the previous change; at an end it stays. Says whether it moved. */
function moveFocus(place: HTMLElement | null, step: 1 | -1): boolean {
  const all = [...(place?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])]
  const here = all.findIndex((one) => one.contains(document.activeElement))
  const next = all[here < 0 ? 0 : here + step]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
  return next !== undefined
}
