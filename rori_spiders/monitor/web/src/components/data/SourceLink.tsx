import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A source by its id, leading to its screen. */
export function SourceLink({ id, children, className = '' }: { id: string; children?: ReactNode; className?: string }) {
  const path: string = `/sources/${encodeURIComponent(id)}`
  return (
    <Link to={path} className={`text-accent underline decoration-line underline-offset-2 [overflow-wrap:anywhere] hover:decoration-current ${className}`}>
      {children ?? id}
    </Link>
  )
}
