import { BarController, BarElement, CategoryScale, Chart, Legend, LinearScale } from 'chart.js'
import { useEffect, useRef } from 'react'
import type { Schemas } from '@/api/types'

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Legend)

/** Tell tiers apart in both themes; the table below says the same in words. */
const COLOURS = ['--color-accent', '--color-warn', '--color-good', '--color-bad', '--color-idle']

/** Requests by month, one colour a tier: how often it took more than a plain request. */
export default function TierChart({ months }: { months: readonly Schemas['TierMonth'][] }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (!canvas.current) return
    const chart = drawn(canvas.current, months)
    return () => chart.destroy()
  }, [months])
  return (
    <div role="img" aria-label="Requests by month and tier; the table below has the numbers" className="relative mb-4 h-56">
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  )
}

function drawn(canvas: HTMLCanvasElement, rows: readonly Schemas['TierMonth'][]): Chart {
  const style = getComputedStyle(canvas)
  const colour = (name: string) => resolved(canvas, name)
  const months = [...new Set(rows.map((row) => row.month))].sort()
  const tiers = [...new Set(rows.map((row) => row.tier))]
  return new Chart(canvas, {
    type: 'bar',
    data: {
      labels: months,
      datasets: tiers.map((tier, place) => ({
        label: tier,
        maxBarThickness: 48,
        backgroundColor: colour(COLOURS[place % COLOURS.length] ?? '--color-idle'),
        data: months.map((month) => rows.filter((row) => row.month === month && row.tier === tier).reduce((sum, row) => sum + row.requests, 0)),
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      events: [],
      color: style.color,
      scales: {
        x: { stacked: true, ticks: { color: style.color }, grid: { display: false } },
        y: { stacked: true, beginAtZero: true, ticks: { color: style.color, precision: 0 }, grid: { color: colour('--color-line') } },
      },
    },
  })
}

/** A colour of the theme as the browser computes it: a canvas does not know light-dark(). */
function resolved(element: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  element.parentElement?.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
