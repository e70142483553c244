import type { ReactNode } from 'react'

/** Tells a viewer why there are no buttons here. */
export function ViewerNotice({ children }: { children: ReactNode }) {
  return (
    <p className="mb-4 rounded-md border bg-raised px-3 py-2 text-sm">
      You are a viewer: {children} An operator can change your role with scrapy monitor users role.
    </p>
  )
}
