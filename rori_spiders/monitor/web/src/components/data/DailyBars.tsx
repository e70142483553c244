/** A small chart of counts a day, oldest first; *says* is its text for who does not see it. */
export function DailyBars({ counts, says }: { counts: readonly number[]; says: string }) {
  const most = Math.max(1, ...counts)
  const [width, height] = [counts.length * 3, 20]
  return (
    <svg role="img" aria-label={says} viewBox={`0 0 ${width} ${height}`} width={width} height={height} className="inline-block align-middle">
      <title>{says}</title>
      <path d={`M0 ${height - 0.5}H${width}`} className="stroke-line" strokeWidth={1} />
      {counts.map((count, day) =>
        count > 0 ? (
          <rect key={day} x={day * 3} width={2} y={height - Math.max(3, (count / most) * height)} height={Math.max(3, (count / most) * height)} className="fill-accent" />
        ) : null,
      )}
    </svg>
  )
}
