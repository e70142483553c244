import type { QueryFilters } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { showToast } from '@/components/feedback/Toast'
import { ReasonDialog } from '@/components/forms/ReasonDialog'
import { pageName } from '@/pages/corpus/pageName'
import type { PageDetail } from '@/pages/corpus/types'

type Given = { page: PageDetail; close: () => void }

/** What a review of *page* changes: not the texts, nor the page that comes next, which was asked for while this one was read. */
function changedBy(page: PageDetail): QueryFilters {
  return {
    predicate: ({ queryKey: [area, run, part, id] }) => area === 'corpora' || (area === 'corpus run' && run === page.run_id && (part === undefined || part === 'pages' || (part === 'page' && id === page.page_id))),
  }
}

/** Approves the very text that is shown: another one is refused. */
export function ApproveText({ page, close, done }: Given & { done: () => void }) {
  const held = page.gate === 'needs_review'
  const approve = useAction(
    (reason: string) => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/pages/{page_id}/approve', { params: { path: { run_id: page.run_id, page_id: page.page_id } }, body: { document: page.document ?? '', reason: reason || null } })),
    () => {
      done()
      showToast(`Approved: ${pageName(page)}`)
    },
    changedBy(page),
  )
  return (
    <ReasonDialog title="Approve this text?" open close={close} act={(reason) => approve.mutate(reason)} busy={approve.isPending} error={approve.error} does="Approve" optional={!held}>
      <p>The approval applies to later runs too, until the page’s source text changes.</p>
      {held && (
        <>
          <p className="mt-2 font-medium">A check holds this text for review. Give a reason for approving it:</p>
          <ul className="list-disc ps-5">
            {page.findings.map((one, place) => (
              <li key={place}>{one.says}</li>
            ))}
          </ul>
        </>
      )}
    </ReasonDialog>
  )
}

/** Refuses the text: the run waits until it is cleaned again, or excluded. */
export function RejectText({ page, close }: Given) {
  const reject = useAction((reason: string) => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/pages/{page_id}/reject', { params: { path: { run_id: page.run_id, page_id: page.page_id } }, body: { reason } })), () => {
    close()
    showToast(`Rejected: ${pageName(page)}`)
  }, changedBy(page))
  return (
    <ReasonDialog title="Reject this text?" open close={close} act={(reason) => reject.mutate(reason)} busy={reject.isPending} error={reject.error} does="Reject" danger>
      The corpus cannot be approved until the page is cleaned again or excluded.
    </ReasonDialog>
  )
}

/** Cleans the page anew; the run goes back to that. */
export function CleanAgain({ page, close }: Given) {
  const clean = useAction(() => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/clean', { params: { path: { run_id: page.run_id } }, body: { pages: [page.page_id] } })), () => {
    close()
    showToast('The run returned to cleaning.')
  })
  return (
    <ConfirmDialog title="Clean this page again?" open close={close} act={() => clean.mutate()} busy={clean.isPending} error={clean.error} does="Clean again">
      <p className="text-sm">The run returns to cleaning, then waits for review again. An approval holds if the text comes out as it was; other pages are unchanged.</p>
    </ConfirmDialog>
  )
}
