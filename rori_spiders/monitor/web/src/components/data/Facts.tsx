import type { ReactNode } from 'react'

type Given = { facts: readonly (readonly [name: string, value: ReactNode])[]; across?: boolean }

/** Names and what they are, one below the other, or `across` where there is room; those without a value are left out. */
export function Facts({ facts, across = false }: Given) {
  return (
    <dl className={`grid grid-cols-[fit-content(38%)_1fr] gap-x-4 gap-y-2 text-sm ${across ? 'md:flex md:flex-wrap md:gap-x-8 md:gap-y-3' : ''}`}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([name, value]) => (
          <div key={name} className={across ? 'contents md:block md:max-w-full' : 'contents'}>
            <dt className={`text-quiet [overflow-wrap:anywhere] ${across ? 'md:text-xs' : ''}`}>{name}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
    </dl>
  )
}
