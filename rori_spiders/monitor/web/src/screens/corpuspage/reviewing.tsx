import { answer, api } from '@/api/client'
import { useDeed } from '@/parts/deed'
import { Ask } from '@/parts/dialog'
import { say } from '@/parts/toast'
import { AskWhy } from '@/parts/why'
import { named } from '../corpus/named'
import type { PageDetail } from '../corpus/shapes'

type Given = { page: PageDetail; close: () => void }

/** Approves the very text that is shown: another one is refused. */
export function ApproveText({ page, close, done }: Given & { done: () => void }) {
  const held = page.gate === 'needs_review'
  const approve = useDeed(
    (reason: string) => answer(api.POST('/api/corpus/runs/{run_id}/pages/{page_id}/approve', { params: { path: { run_id: page.run_id, page_id: page.page_id } }, body: { document: page.document ?? '', reason: reason || null } })),
    () => {
      done()
      say(`Approved: ${named(page)}`)
    },
  )
  return (
    <AskWhy title="Approve this text?" open close={close} act={(reason) => approve.mutate(reason)} busy={approve.isPending} error={approve.error} does="Approve" optional={!held}>
      <p>It holds, in later runs too, until the page’s source text changes.</p>
      {held && (
        <>
          <p className="mt-2 font-medium">A gate holds it for a person. Say why it may be published all the same:</p>
          <ul className="list-disc ps-5">
            {page.findings.map((one, place) => (
              <li key={place}>{one.says}</li>
            ))}
          </ul>
        </>
      )}
    </AskWhy>
  )
}

/** Refuses the text: the run waits until it is cleaned again, or excluded. */
export function RejectText({ page, close }: Given) {
  const reject = useDeed((reason: string) => answer(api.POST('/api/corpus/runs/{run_id}/pages/{page_id}/reject', { params: { path: { run_id: page.run_id, page_id: page.page_id } }, body: { reason } })), () => {
    close()
    say(`Rejected: ${named(page)}`)
  })
  return (
    <AskWhy title="Reject this text?" open close={close} act={(reason) => reject.mutate(reason)} busy={reject.isPending} error={reject.error} does="Reject" danger>
      The corpus is not approved until the page is cleaned again, or excluded.
    </AskWhy>
  )
}

/** Cleans the page anew; the run goes back to that. */
export function CleanAgain({ page, close }: Given) {
  const clean = useDeed(() => answer(api.POST('/api/corpus/runs/{run_id}/clean', { params: { path: { run_id: page.run_id } }, body: { pages: [page.page_id] } })), () => {
    close()
    say('The run goes back to cleaning.')
  })
  return (
    <Ask title="Clean this page again?" open close={close} act={() => clean.mutate()} busy={clean.isPending} error={clean.error} does="Clean again">
      <p className="text-sm">The run goes back to cleaning, and waits for you again after that. What was approved of this page is withdrawn; the others stay as they are.</p>
    </Ask>
  )
}
