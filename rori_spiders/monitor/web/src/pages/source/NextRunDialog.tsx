import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { Field } from '@/components/forms/Field'
import { showToast } from '@/components/feedback/Toast'

/** Sets, or takes back, an operator's moment for the next run. */
export function NextRunDialog({ id, name, close }: { id: string; name: string; close: () => void }) {
  const [moment, setMoment] = useState('')
  const set = useAction(() => {
    const at = moment ? new Date(`${moment}Z`).toISOString() : null
    return unwrap(api.POST('/api/v1/sources/{source_id}/next-run', { params: { path: { source_id: id } }, body: { at } }))
  }, () => {
    showToast(moment ? `Next run of ${name} set.` : `${name} follows its schedule again.`)
    close()
  })
  return (
    <ConfirmDialog title={`Next run of ${name}`} open close={close} act={() => set.mutate()} busy={set.isPending} error={set.error} does={moment ? 'Set' : 'Follow the schedule'}>
      <Field label="Date and time (UTC)" type="datetime-local" value={moment} hint="Applies once; the schedule then continues. Leave empty to follow the schedule." onChange={(event) => setMoment(event.target.value)} />
    </ConfirmDialog>
  )
}
