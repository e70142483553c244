import type { ReactNode } from 'react'
import { command } from '@/lib/command'

/** Tells a viewer why there are no buttons here. */
export function ViewerNotice({ children }: { children: ReactNode }) {
  return (
    <p className="mb-4 rounded-md border bg-raised px-3 py-2 text-sm">
      Read-only access (viewer role). {children} An operator can change your role with <code>{command('monitor users role')}</code>.
    </p>
  )
}
