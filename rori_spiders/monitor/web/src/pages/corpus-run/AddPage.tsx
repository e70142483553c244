import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { Field } from '@/components/forms/Field'
import { showToast } from '@/components/feedback/Toast'
import type { RunDetail } from '@/pages/corpus/types'

/** Adds a page that the map has missed. */
export function AddPage({ run, close }: { run: RunDetail; close: () => void }) {
  const [url, setUrl] = useState('')
  const [reason, setReason] = useState('')
  const add = useAction(() => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/pages', { params: { path: { run_id: run.run_id } }, body: { url: url.trim(), reason } })), (page) => {
    close()
    showToast(`Added: ${page.url}`)
  })
  return (
    <ConfirmDialog title="Add a page" open close={close} act={() => add.mutate()} busy={add.isPending} error={add.error} does="Add">
      <Field label="URL" type="url" required maxLength={2000} value={url} hint="Must be on a host of this corpus. The page is included, then fetched and cleaned." onChange={(event) => setUrl(event.target.value)} />
      <Field label="Reason" required maxLength={500} pattern=".*\S.*" value={reason} hint="Recorded with your name; also applies to later runs." onChange={(event) => setReason(event.target.value)} />
    </ConfirmDialog>
  )
}
