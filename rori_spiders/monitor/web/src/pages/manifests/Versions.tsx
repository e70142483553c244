import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { useSession } from '@/api/session'
import { Badge } from '@/components/feedback/Badge'
import { Card } from '@/components/layout/Card'
import { FileLink } from '@/components/data/SafeLink'
import { QueryView } from '@/components/feedback/QueryView'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import { VersionDiff } from './VersionDiff'
import { RollBack } from './RollBack'

type Version = Schemas['ManifestVersionRow']
const LIMIT = 100

/** What was activated under a name: to be compared, downloaded, and made active again. */
export function Versions({ name, fixed }: { name: string; fixed: boolean }) {
  const { operator_may: may } = useSession()
  const [compared, setCompared] = useState<Version>()
  const versions = useQuery({
    queryKey: ['manifests', name, 'versions'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/manifests/{name}/versions', { params: { path: { name }, query: { limit: LIMIT } }, signal })),
  })
  const compare: Column<Version> = {
    key: 'compare',
    title: 'Compare',
    cell: (one) =>
      !one.active && (
        <button type="button" className="text-accent underline" onClick={() => setCompared(one)} aria-label={`with active: version ${one.version}`}>
          with active
        </button>
      ),
  }
  const back: Column<Version> = { key: 'back', title: 'Roll back', cell: (one) => !one.active && <RollBack version={one} /> }
  return (
    <Card title={`Versions of ${name}`}>
      <QueryView query={versions} what="the versions">
        {({ items }) => {
          const active = items.find((one) => one.active)
          if (!items.length) return <EmptyState title="No stored versions." />
          return (
            <>
              <Table caption={`Versions of ${name}`} columns={[...COLUMNS, ...(active ? [compare] : []), ...(may && !fixed ? [back] : [])]} rows={items} id={(one) => String(one.version_id)} />
              {compared && active && <VersionDiff before={compared} after={active} />}
            </>
          )
        }}
      </QueryView>
    </Card>
  )
}

const COLUMNS: Column<Version>[] = [
  { key: 'version', title: 'Version', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.version}</span> },
  { key: 'state', title: 'State', cell: (one) => (one.active ? <Badge tone="good">active</Badge> : 'previous') },
  { key: 'at', title: 'Activated', cell: (one) => <Time at={one.activated_at} /> },
  { key: 'by', title: 'Activated by', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.activated_by}</span> },
  {
    key: 'file',
    title: 'File',
    cell: (one) => (
      <FileLink path={`/api/v1/manifests/versions/${one.version_id}/text`} download className="text-accent underline">
        download
      </FileLink>
    ),
  },
]
