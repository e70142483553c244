import type { Schemas } from '@/api/types'

/** Tell tiers apart in both themes; the table below says the same in words. */
const COLOURS = ['fill-accent', 'fill-warn', 'fill-good', 'fill-bad', 'fill-idle']
const SWATCHES = ['bg-accent', 'bg-warn', 'bg-good', 'bg-bad', 'bg-idle']
const [STEP, WIDTH, HEIGHT, AXIS] = [64, 40, 160, 20]

type Month = Schemas['TierMonth']

/** Requests by month, one colour a tier: how often it took more than a plain request. */
export function TierChart({ months: rows }: { months: readonly Month[] }) {
  const months = [...new Set(rows.map((row) => row.month))].sort()
  const tiers = [...new Set(rows.map((row) => row.tier))]
  const sums = months.map((month) => tiers.map((tier) => rows.reduce((sum, row) => (row.month === month && row.tier === tier ? sum + row.requests : sum), 0)))
  const most = Math.max(1, ...sums.map((counts) => counts.reduce((all, one) => all + one, 0)))
  return (
    <figure className="mb-4">
      <figcaption className="mb-1 flex flex-wrap gap-x-4 text-xs">
        {tiers.map((tier, place) => (
          <span key={tier} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-3 rounded-xs ${SWATCHES[place % SWATCHES.length]}`} />
            {tier}
          </span>
        ))}
        <span className="text-quiet">highest: {most.toLocaleString()} requests</span>
      </figcaption>
      <svg role="img" aria-label="Requests by month and tier; the table below has the numbers" viewBox={`0 0 ${months.length * STEP} ${HEIGHT + AXIS}`} className="max-h-52 max-w-full">
        <path d={`M0 ${HEIGHT - 0.5}H${months.length * STEP}`} className="stroke-line" strokeWidth={1} />
        {months.map((month, at) => (
          <g key={month}>
            {stack(sums[at] ?? [], most).map(({ y, height }, place) => (
              <rect key={place} x={at * STEP + (STEP - WIDTH) / 2} y={y} width={WIDTH} height={height} className={COLOURS[place % COLOURS.length]} />
            ))}
            <text x={at * STEP + STEP / 2} y={HEIGHT + 15} textAnchor="middle" className="fill-quiet text-xs">
              {month}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  )
}

function stack(counts: readonly number[], most: number) {
  let top = HEIGHT
  return counts.map((count) => {
    const height = (count / most) * (HEIGHT - 2)
    top -= height
    return { y: top, height }
  })
}
