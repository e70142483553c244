import type { Schemas } from '@/api/types'
import { StateBadge } from '@/components/feedback/Badge'
import { Card } from '@/components/layout/Card'
import { SafeLink } from '@/components/data/SafeLink'
import { Table, type Column } from '@/components/data/Table'
import { command } from '@/lib/command'

/** Why pages were not collected, and those that wait for a person. */
export function Reasons({ runId, reasons, held }: { runId: string; reasons: readonly Schemas['ReasonCount'][]; held: readonly Schemas['HeldPage'][] }) {
  return (
    <Card title="Pages not collected">
      {reasons.length > 0 && <Table caption="Pages not collected" columns={COLUMNS} rows={reasons} id={(one) => `${one.state} ${one.reason}`} />}
      {held.length > 0 && (
        <>
          <h3 className="mt-4 mb-1 font-semibold">Held for review</h3>
          <ul className="grid gap-1 text-sm">
            {held.map((page) => (
              <li key={page.url} className="[overflow-wrap:anywhere]">
                <SafeLink url={page.url} />: {page.reason}
              </li>
            ))}
          </ul>
          <p className="mt-1 text-sm text-quiet">
            To accept them, run <code>{command(`runs accept ${runId} --reason TEXT`)}</code>
          </p>
        </>
      )}
    </Card>
  )
}

const COLUMNS: Column<Schemas['ReasonCount']>[] = [
  { key: 'reason', title: 'Reason', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.reason || 'no reason recorded'}</span> },
  { key: 'state', title: 'State', cell: (one) => <StateBadge state={one.state} /> },
  { key: 'pages', title: 'Pages', end: true, cell: (one) => one.pages.toLocaleString() },
]
