import { showToast } from '@/components/feedback/Toast'

/** The beginning of a long value, and the whole of it for the clipboard. */
export function CopyButton({ value, length = 8, what }: { value: string | null | undefined; length?: number; what: string }) {
  if (!value) return <span className="text-quiet">–</span>
  const shown = value.replace(/^sha256:/, '').slice(0, length)
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => showToast(`Copied ${what}.`),
      () => showToast(`The browser blocked copying. Copy the ${what} by hand: ${value}`, { bad: true }),
    )
  return (
    <button
      type="button"
      onClick={() => void copy()}
      title={`${value}: copy`}
      aria-label={`Copy the ${what} ${shown}`}
      className="min-h-6 rounded border px-1 font-mono text-xs hover:bg-raised"
    >
      {shown}
    </button>
  )
}
