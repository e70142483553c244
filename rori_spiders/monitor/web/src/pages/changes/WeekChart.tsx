import { pluralize } from '@/lib/pluralize'
import type { ChangeSummary } from './queries'

const LEVELS = [
  ['low', 'fill-idle'],
  ['medium', 'fill-accent'],
  ['high', 'fill-bad'],
] as const
const [STEP, WIDTH, HEIGHT] = [20, 15, 60]

/** Changes captured in each week, important ones on top; a screen reader gets the numbers. */
export function WeekChart({ weeks }: { weeks: ChangeSummary['weeks'] }) {
  const most = Math.max(1, ...weeks.map((week) => week.high + week.medium + week.low))
  const says = weeks.map((week) => `week of ${week.starts_on}: ${pluralize(week.high + week.medium + week.low, 'change')}, ${week.high} high`)
  return (
    <figure className="mt-1">
      <svg role="img" aria-label={says.join('; ')} viewBox={`0 0 ${weeks.length * STEP} ${HEIGHT}`} className="w-full">
        <path d={`M0 ${HEIGHT - 0.5}H${weeks.length * STEP}`} className="stroke-line" strokeWidth={1} />
        {weeks.map((week, place) => (
          <g key={week.starts_on}>
            <title>{says[place]}</title>
            {bars(week, most).map(({ level, fill, y, height }) => (
              <rect key={level} x={place * STEP + 2} y={y} width={WIDTH} height={height} className={fill} />
            ))}
          </g>
        ))}
      </svg>
      <figcaption className="flex justify-between text-xs text-quiet">
        <span>{weeks[0]?.starts_on}</span>
        <span>this week</span>
      </figcaption>
    </figure>
  )
}

function bars(week: ChangeSummary['weeks'][number], most: number) {
  let top = HEIGHT
  return LEVELS.map(([level, fill]) => {
    const height = (week[level] / most) * (HEIGHT - 2)
    top -= height
    return { level, fill, y: top, height }
  })
}
