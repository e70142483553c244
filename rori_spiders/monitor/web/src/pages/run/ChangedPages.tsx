import { Link } from '@tanstack/react-router'
import type { Schemas } from '@/api/types'
import { readablePath } from '@/diff/descriptions'
import { Card } from '@/components/layout/Card'

const SHOWN = 8

/** The pages whose text the run saw change, each with its sections; a link compares them. */
export function ChangedPages({ pages, inAll }: { pages: readonly Schemas['PageChanged'][]; inAll: number }) {
  return (
    <Card title={`Changed pages (${inAll.toLocaleString()})`}>
      <ul className="grid gap-2 text-sm">
        {pages.map((page) => (
          <li key={page.version_id} className="[overflow-wrap:anywhere]">
            <Link to="/pages/$pageId" params={{ pageId: String(page.page_id) }} search={{ tab: 'compare', from: page.version_before ?? undefined, to: page.version_id }} className="text-accent underline">
              {page.url}
            </Link>
            {page.note && <p className="text-quiet">{page.note}</p>}
            <ul className="ps-4 text-quiet">
              {page.sections.slice(0, SHOWN).map((section, place) => (
                <li key={place}>
                  {section.change}: {readablePath(section.path)}
                </li>
              ))}
              {page.sections.length > SHOWN && <li>and {page.sections.length - SHOWN} more sections</li>}
            </ul>
          </li>
        ))}
      </ul>
    </Card>
  )
}
