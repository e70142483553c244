import { useState } from 'react'
import { answer, api } from '@/api/client'
import { useDeed } from '@/parts/deed'
import { Ask } from '@/parts/dialog'
import { Field } from '@/parts/field'
import { say } from '@/parts/toast'

/** Sets, or takes back, an operator's moment for the next run. */
export function NextRun({ id, name, close }: { id: string; name: string; close: () => void }) {
  const [moment, setMoment] = useState('')
  const set = useDeed(() => {
    const at = moment ? new Date(moment).toISOString() : null
    return answer(api.POST('/api/sources/{source_id}/next-run', { params: { path: { source_id: id } }, body: { at } }))
  }, () => {
    say(moment ? `The next run of ${name} is set.` : `${name} follows its schedule.`)
    close()
  })
  return (
    <Ask title={`Next run of ${name}`} open close={close} act={() => set.mutate()} busy={set.isPending} error={set.error} does={moment ? 'Set' : 'Follow the schedule'}>
      <Field label="Moment" type="datetime-local" value={moment} hint="In your time zone. It counts once; then the schedule goes on as before. Leave it empty to follow the schedule." onChange={(event) => setMoment(event.target.value)} />
    </Ask>
  )
}
