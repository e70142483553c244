import { useInfiniteQuery } from '@tanstack/react-query'
import { answer, api } from '@/api/client'
import type { schemas } from '@/api/shapes'
import { Card } from '@/parts/card'
import { Followed } from '@/parts/followed'
import { SafeLink } from '@/parts/link'
import { Empty } from '@/parts/states'
import { Table, type Column } from '@/parts/table'
import { Time } from '@/parts/time'

type Deed = schemas['Action']

/** Who did what to a domain's corpus. */
export function Deeds({ domain }: { domain: string }) {
  const deeds = useInfiniteQuery({
    queryKey: ['actions', 'corpus', domain],
    queryFn: ({ pageParam, signal }) => answer(api.GET('/api/actions', { params: { query: { q: `corpus ${domain}`, after: pageParam, limit: 20 } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  })
  return (
    <Card title="Who did what">
      <Followed query={deeds} what="what was done">
        {(items) => (items.length ? <Table caption="Who did what" columns={COLUMNS} rows={items} id={(deed) => String(deed.action_id)} /> : <Empty title="Nobody has done anything yet." />)}
      </Followed>
    </Card>
  )
}

const COLUMNS: Column<Deed>[] = [
  { key: 'at', title: 'When', cell: (deed) => <Time at={deed.at} /> },
  { key: 'actor', title: 'Who', cell: (deed) => <span className="[overflow-wrap:anywhere]">{deed.actor}</span> },
  { key: 'action', title: 'What', cell: (deed) => deed.action.replace(/^corpus_/, '').replaceAll('_', ' ') },
  { key: 'page', title: 'Page', cell: ({ details }) => typeof details?.url === 'string' && <SafeLink url={details.url} /> },
  { key: 'why', title: 'Why', cell: (deed) => deed.reason && <span className="[overflow-wrap:anywhere]">{deed.reason}</span> },
]
