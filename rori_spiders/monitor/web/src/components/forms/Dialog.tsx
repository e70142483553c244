import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Button } from './Button'
import { ErrorMessage } from '@/components/feedback/states'

/** A modal dialog of the browser's own: it traps the focus, closes on Escape, and gives the focus back. */
export function Dialog({ title, open, close, children }: { title: string; open: boolean; close: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const element = dialog.current
    if (!element || !open) return
    element.showModal()
    return () => element.close()
  }, [open])
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={close} className="w-[min(34rem,calc(100vw-2rem))] rounded-lg border bg-card p-5">
      {open && (
        <>
          <h2 id={heading} className="mb-3 text-lg font-semibold">
            {title}
          </h2>
          {children}
        </>
      )}
    </dialog>
  )
}

type Asked = { title: string; open: boolean; close: () => void; act: () => void; busy?: boolean; error?: unknown; does: string; danger?: boolean; children?: ReactNode }

/** Asks before something is done: the button says what (`does`), never just "OK"; `error` is why it was not. */
export function ConfirmDialog({ title, open, close, act, busy, error, does, danger, children }: Asked) {
  return (
    <Dialog title={title} open={open} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          act()
        }}
      >
        {children}
        {error ? <ErrorMessage error={error} /> : null}
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <Button onClick={close}>Close</Button>
          <Button type="submit" kind={danger ? 'danger' : 'main'} disabled={busy}>
            {busy ? 'Working …' : does}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
