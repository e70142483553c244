import { useEffect, useRef, type ReactNode } from 'react'

let first = true

/** A screen's heading: it names the window, and takes the focus when the screen changes, so that it is read aloud. */
export function Heading({ title, children }: { title: string; children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · RORI Collector`
  }, [title])
  useEffect(() => {
    if (!first) heading.current?.focus({ preventScroll: true })
    first = false
  }, [])
  return (
    <div className="mb-4 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-2">
      <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold [overflow-wrap:anywhere]">
        {title}
      </h1>
      {children}
    </div>
  )
}
