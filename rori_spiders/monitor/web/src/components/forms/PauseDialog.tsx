import type { ReactNode } from 'react'
import { ReasonDialog } from './ReasonDialog'

type Given = { title: string; open: boolean; close: () => void; pause: (reason: string) => void; busy: boolean; error: unknown; children: ReactNode }

/** Asks for the reason of a pause, which everybody then reads. */
export function PauseDialog({ title, open, close, pause, busy, error, children }: Given) {
  return (
    <ReasonDialog title={title} open={open} close={close} act={pause} busy={busy} error={error} does="Pause" danger hint="Recorded with your name and shown wherever the pause appears.">
      {children}
    </ReasonDialog>
  )
}
