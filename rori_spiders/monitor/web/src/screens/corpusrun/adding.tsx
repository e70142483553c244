import { useState } from 'react'
import { answer, api } from '@/api/client'
import { useDeed } from '@/parts/deed'
import { Ask } from '@/parts/dialog'
import { Field } from '@/parts/field'
import { say } from '@/parts/toast'
import type { RunDetail } from '../corpus/shapes'

/** Adds a page that the map has missed. */
export function AddPage({ run, close }: { run: RunDetail; close: () => void }) {
  const [url, setUrl] = useState('')
  const [reason, setReason] = useState('')
  const add = useDeed(() => answer(api.POST('/api/corpus/runs/{run_id}/pages', { params: { path: { run_id: run.run_id } }, body: { url: url.trim(), reason } })), (page) => {
    close()
    say(`Added: ${page.url}`)
  })
  return (
    <Ask title="Add a page" open close={close} act={() => add.mutate()} busy={add.isPending} error={add.error} does="Add">
      <Field label="Address" type="url" required maxLength={2000} value={url} hint="On a host of this corpus. It is included, fetched and cleaned next." onChange={(event) => setUrl(event.target.value)} />
      <Field label="Reason" required maxLength={500} pattern=".*\S.*" value={reason} hint="It is kept with your name, and holds in later runs too." onChange={(event) => setReason(event.target.value)} />
    </Ask>
  )
}
