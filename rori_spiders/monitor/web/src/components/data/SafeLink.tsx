import type { ReactNode } from 'react'
import { safeUrl } from '@/lib/safeUrl'

/** A URL from outside: a link when it is http(s), else its text. Opens apart, and tells the server nothing of us. */
export function SafeLink({ url, children, className = '' }: { url: string | null | undefined; children?: ReactNode; className?: string }) {
  const href = safeUrl(url)
  if (!href) return <span className={className}>{children ?? url}</span>
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className={`text-accent underline decoration-line underline-offset-2 [overflow-wrap:anywhere] hover:decoration-current ${className}`}
    >
      {children ?? url}
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  )
}

/** A file of our own API, to be downloaded or opened: an address below /api/v1, nothing else. */
export function FileLink({ path, children, className = '', download }: { path: `/api/v1/${string}`; children: ReactNode; className?: string; download?: boolean }) {
  return (
    <a href={path} download={download} className={className}>
      {children}
    </a>
  )
}
