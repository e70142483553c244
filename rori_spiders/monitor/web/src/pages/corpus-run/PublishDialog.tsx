import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import { pluralize } from '@/lib/pluralize'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { Field } from '@/components/forms/Field'
import { showToast } from '@/components/feedback/Toast'
import type { RunDetail } from '@/pages/corpus/types'

/** Publishes the approved corpus, once its domain was typed. */
export function PublishDialog({ run, close }: { run: RunDetail; close: () => void }) {
  const [domain, setDomain] = useState('')
  const [reason, setReason] = useState('')
  const [leaveOut, setLeaveOut] = useState(false)
  const publish = useAction(
    () => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/publish', { params: { path: { run_id: run.run_id } }, body: { domain, reason: reason.trim() || null, leave_out: leaveOut } })),
    (version) => {
      close()
      showToast(`Version ${version.version} of ${run.domain} is published.`)
    },
  )
  return (
    <ConfirmDialog title={`Publish the corpus of ${run.domain}?`} open close={close} act={() => publish.mutate()} busy={publish.isPending} error={publish.error} does="Publish">
      <p className="mb-3 text-sm">{pluralize(run.counts.approved, 'page')} become the next, immutable version. The loader starts afterwards.</p>
      <Field label={`Type ${run.domain} to confirm`} required pattern={run.domain.replaceAll('.', '\\.')} autoCapitalize="none" autoComplete="off" spellCheck={false} value={domain} onChange={(event) => setDomain(event.target.value)} />
      <Field label="Reason (required for large changes)" maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      <label className="flex gap-2 text-sm">
        <input type="checkbox" checked={leaveOut} onChange={(event) => setLeaveOut(event.target.checked)} />
        Skip pages whose publishers restrict their use
      </label>
    </ConfirmDialog>
  )
}
