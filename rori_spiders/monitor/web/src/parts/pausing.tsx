import { useState, type ReactNode } from 'react'
import { Ask } from './dialog'
import { Field } from './field'

type Given = { title: string; open: boolean; close: () => void; pause: (reason: string) => void; busy: boolean; error: unknown; children: ReactNode }

/** Asks for the reason of a pause, which everybody then reads. */
export function PauseDialog({ title, open, close, pause, busy, error, children }: Given) {
  const [reason, setReason] = useState('')
  return (
    <Ask title={title} open={open} close={close} act={() => pause(reason.trim())} busy={busy} error={error} does="Pause" danger>
      <p className="mb-3 text-sm">{children}</p>
      <Field label="Reason" required maxLength={500} pattern=".*\S.*" value={reason} hint="It is kept with your name, and shown wherever the pause is." onChange={(event) => setReason(event.target.value)} />
    </Ask>
  )
}
