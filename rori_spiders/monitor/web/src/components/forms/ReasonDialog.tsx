import { useState, type ReactNode } from 'react'
import { ConfirmDialog } from './Dialog'
import { Field } from './Field'

type Given = { title: string; open: boolean; close: () => void; act: (reason: string) => void; busy: boolean; error: unknown; does: string; danger?: boolean; hint?: string; optional?: boolean; usual?: string; children?: ReactNode }

/** Asks for a person's reason before something is done; typing replaces the `usual` one. */
export function ReasonDialog({ title, open, close, act, busy, error, does, danger, hint = 'Recorded with your name.', optional, usual = '', children }: Given) {
  const [reason, setReason] = useState(usual)
  return (
    <ConfirmDialog title={title} open={open} close={close} act={() => act(reason.trim())} busy={busy} error={error} does={does} danger={danger}>
      <div className="mb-3 text-sm [overflow-wrap:anywhere]">{children}</div>
      <Field label={optional ? 'Reason (optional)' : 'Reason'} required={!optional} maxLength={500} pattern=".*\S.*" value={reason} hint={hint} onFocus={(event) => event.target.select()} onChange={(event) => setReason(event.target.value)} />
    </ConfirmDialog>
  )
}
