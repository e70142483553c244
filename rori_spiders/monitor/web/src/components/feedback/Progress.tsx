/** How much of something is done, in percent; null while that is not known. Browsers draw their own so that 0 % looks like all. */
export function Progress({ percent, label }: { percent: number | null; label: string }) {
  return (
    <div role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent ?? undefined} className="h-2.5 w-40 overflow-hidden rounded-full border border-edge bg-card">
      <div className="h-full bg-accent" style={{ width: `${percent ?? 0}%` }} />
    </div>
  )
}
