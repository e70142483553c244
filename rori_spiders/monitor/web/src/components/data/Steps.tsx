import type { Schemas } from '@/api/types'

/** What the browser did on a page before it was read, in order. */
export function Steps({ steps }: { steps: readonly Schemas['BrowserStep'][] }) {
  return (
    <ol className="[overflow-wrap:anywhere]">
      {steps.map((one, place) => (
        <li key={place}>
          {one.step.replace('_', ' ')} <code>{one.target}</code>: {one.result}
        </li>
      ))}
    </ol>
  )
}
