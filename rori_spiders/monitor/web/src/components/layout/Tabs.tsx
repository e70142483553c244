import type { ReactNode } from 'react'

/** Parts of a screen, one shown at a time; which one stands in the address. *children* are links. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className="mb-4 overflow-x-auto border-b">
      <div className="flex gap-1 text-sm">{children}</div>
    </nav>
  )
}

/** Of a link in it, which says by `aria-current` whether its part is shown. */
export const TAB_CLASS =
  'inline-block border-b-2 border-transparent px-3 py-2 whitespace-nowrap -outline-offset-2 hover:bg-raised aria-[current=page]:border-accent aria-[current=page]:font-semibold'
