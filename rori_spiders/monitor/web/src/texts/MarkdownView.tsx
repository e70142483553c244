import Markdown, { type Components } from 'react-markdown'
import gfm from 'remark-gfm'
import { SafeLink } from '@/components/data/SafeLink'

/** A page's headings stand below those of the screen, and its pictures are not fetched: they would tell of the reader. */
const PARTS: Components = {
  a: ({ href, children }) => <SafeLink url={href}>{children}</SafeLink>,
  img: ({ alt, src }) => (
    <span className="rounded bg-raised px-1 text-sm text-quiet">
      image{alt ? `: ${alt}` : ''} <SafeLink url={typeof src === 'string' ? src : null} />
    </span>
  ),
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  h5: ({ children }) => <h6>{children}</h6>,
  h6: ({ children }) => <h6>{children}</h6>,
  table: ({ children }) => (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <span>{checked ? '☑' : '☐'}</span>,
}

/** Markdown as a reader sees it. HTML in it stays text; nothing of it is fetched. */
export function MarkdownView({ text }: { text: string }) {
  return (
    <div className="markdown max-w-prose [overflow-wrap:anywhere]">
      <Markdown remarkPlugins={[gfm]} components={PARTS}>
        {text}
      </Markdown>
    </div>
  )
}
