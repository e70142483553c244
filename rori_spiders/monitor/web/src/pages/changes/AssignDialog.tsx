import { useState } from 'react'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { Field } from '@/components/forms/Field'
import { Select } from '@/components/forms/filters'
import { pluralize } from '@/lib/pluralize'
import type { Assignment, PageChange } from './queries'

type Given = { changes: readonly PageChange[]; people: readonly string[]; close: () => void; act: (assignment: Assignment) => void; busy: boolean; error: unknown }

/** Who is to look at the changes, by when, and what there is to say of them. */
export function AssignDialog({ changes, people, close, act, busy, error }: Given) {
  const [assignee, setAssignee] = useState(changes[0]?.assignee ?? undefined)
  const [due, setDue] = useState(changes[0]?.due_on ?? '')
  const [comment, setComment] = useState('')
  return (
    <ConfirmDialog title={`Assign or comment: ${pluralize(changes.length, 'change')}`} open close={close} act={() => act({ assignee: assignee ?? null, due_on: (assignee && due) || null, comment: comment.trim() || null })} busy={busy} error={error} does="Save">
      <div className="mb-3">
        <Select label="Assigned to" value={assignee} all="Nobody" options={people} pick={setAssignee} />
      </div>
      <Field label="Due (end of the day, UTC)" type="date" value={due} disabled={!assignee} onChange={(event) => setDue(event.target.value)} />
      <Field label="Comment (optional)" maxLength={2000} value={comment} hint="Recorded with your name. It stays." onChange={(event) => setComment(event.target.value)} />
    </ConfirmDialog>
  )
}
