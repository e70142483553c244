import { useEffect, useSyncExternalStore } from 'react'

type Toast = { id: number; text: string; bad: boolean }

let toasts: Toast[] = []
let last = 0
const listeners = new Set<() => void>()

function put(changed: Toast[]): void {
  toasts = changed
  for (const listener of listeners) listener()
}

/** Says what was done, or why not, in the corner and to screen readers. What went wrong stays until it is closed; of the rest the last is enough. */
export function showToast(text: string, { bad = false }: { bad?: boolean } = {}): void {
  last += 1
  put([...toasts.filter((toast) => toast.bad && toast.text !== text).slice(-2), { id: last, text, bad }])
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Once a page, in the shell: the live region is there before anything is said in it. */
export function Toasts() {
  const shown = useSyncExternalStore(listen, () => toasts)
  return (
    <div role="status" aria-live="polite" className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2">
      {shown.map((toast) => (
        <One key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function One({ toast: { id, text, bad } }: { toast: Toast }) {
  const close = () => put(toasts.filter((other) => other.id !== id))
  useEffect(() => {
    if (bad) return
    const timer = setTimeout(() => put(toasts.filter((other) => other.id !== id)), 8_000)
    return () => clearTimeout(timer)
  }, [id, bad])
  return (
    <div className={`pointer-events-auto flex max-w-md items-start gap-3 rounded-lg border px-4 py-3 text-sm shadow-lg ${bad ? 'border-bad bg-bad-ground text-bad' : 'bg-card'}`}>
      <span className="[overflow-wrap:anywhere]">{text}</span>
      <button type="button" onClick={close} aria-label="Dismiss" className="-my-1 min-h-6 min-w-6 rounded text-lg leading-none">
        ×
      </button>
    </div>
  )
}
