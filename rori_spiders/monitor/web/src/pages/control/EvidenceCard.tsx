import { useQuery } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { Facts } from '@/components/data/Facts'
import { InlineCode } from '@/components/data/InlineCode'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import { Badge } from '@/components/feedback/Badge'
import { QueryView } from '@/components/feedback/QueryView'
import { CopyButton } from '@/components/forms/CopyButton'
import { Card } from '@/components/layout/Card'
import { pluralize } from '@/lib/pluralize'
import { command } from '@/lib/command'

type Status = Schemas['EvidenceStatus']
type Destination = Schemas['HeadDestination']

const EVERY_MS = 30_000
const KINDS: Record<Destination['kind'], string> = {
  file: 'file',
  bucket: 'S3 bucket',
  webhook: 'webhook',
  timestamp_authority: 'timestamp authority',
  witness: 'witness',
}

/** The newest signed head, where it arrived, and what was verified last. */
export function EvidenceCard() {
  const status = useQuery({
    queryKey: ['evidence'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/evidence', { signal })),
    refetchInterval: EVERY_MS,
  })
  return (
    <Card title="Evidence">
      <QueryView query={status} what="the signed heads">
        {(found) => (
          <div className="grid gap-4">
            <Head status={found} />
            <Destinations status={found} />
            <Verified last={found.verification} />
          </div>
        )}
      </QueryView>
    </Card>
  )
}

function Head({ status: { newest, facts, uncovered, refused } }: { status: Status }) {
  return (
    <>
      {refused && (
        <p role="alert" className="text-sm text-bad [overflow-wrap:anywhere]">
          <strong>The last job signed no head.</strong> <InlineCode text={refused} />
        </p>
      )}
      {newest ? (
        <Facts
          facts={[
            ['Newest signed head', <><Time key="at" at={newest.at} /> (<Time at={newest.at} relative />)</>],
            ['Covers', `${newest.size.toLocaleString()} of ${pluralize(facts, 'fact')}${uncovered ? `; ${uncovered.toLocaleString()} ${uncovered === 1 ? 'is' : 'are'} newer` : ''}`],
            ['Root', newest.root && <CopyButton value={newest.root} length={16} what="root" />],
            ['Ledger', newest.origin],
            ['Signed by', newest.keys.length > 0 && `key ${newest.keys.join(', ')}`],
            ['Confirmed by', newest.receipts.length > 0 && <Receipts receipts={newest.receipts} />],
            ['Problem', newest.problem && <span className="text-bad">{newest.problem}</span>],
          ]}
        />
      ) : (
        <p className="text-sm">
          <strong>No head was signed yet</strong>: nothing would show that somebody rewrote the {pluralize(facts, 'fact')}.{' '}
          <InlineCode text={`\`${command('evidence key create NAME')}\` creates a key; then each job signs a head at its end.`} />
        </p>
      )}
    </>
  )
}

function Receipts({ receipts }: { receipts: readonly Schemas['HeadReceipt'][] }) {
  return (
    <ul>
      {receipts.map((one, number) => (
        <li key={number} className="[overflow-wrap:anywhere]">
          {one.name} ({one.kind})
          {one.at && <>, <Time at={one.at} /></>}
        </li>
      ))}
    </ul>
  )
}

function Destinations({ status: { newest, destinations } }: { status: Status }) {
  if (destinations.length) return <Table caption="Destinations of heads" columns={COLUMNS} rows={destinations} id={(one) => one.name} />
  if (!newest) return null
  return (
    <p className="text-sm">
      <strong>No destination for heads.</strong>{' '}
      <InlineCode text="Anyone who can write the ledger can replace them. Name places out of their reach in `RORI_EVIDENCE_HEADS`." />
    </p>
  )
}

const COLUMNS: Column<Destination>[] = [
  { key: 'name', title: 'Sent to', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.name}</span> },
  { key: 'kind', title: 'Kind', cell: (one) => KINDS[one.kind] },
  { key: 'state', title: 'Newest head', cell: (one) => <Arrival one={one} /> },
  { key: 'since', title: 'Failing since', cell: (one) => <Time at={one.failed_at} /> },
  { key: 'error', title: 'Error', cell: (one) => one.error && <span className="[overflow-wrap:anywhere]">{one.error}</span> },
]

function Arrival({ one }: { one: Destination }) {
  const lacks = one.missing > 1 ? `, ${pluralize(one.missing, 'head')} missing` : ''
  if (!one.is_configured) return <Badge tone="idle">{`not in RORI_EVIDENCE_HEADS here${lacks}`}</Badge>
  if (!one.missing) return one.size ? <Badge tone="good">arrived</Badge> : <Badge tone="idle">nothing to send yet</Badge>
  return <Badge tone={one.error ? 'bad' : 'warn'}>{`${one.error ? 'failed' : 'not sent yet'}${lacks}`}</Badge>
}

function Verified({ last }: { last: Status['verification'] }) {
  if (!last) {
    return (
      <p className="text-sm">
        <strong>No verification on record.</strong> <InlineCode text={`\`${command('verify --record')}\` keeps its result here.`} />
      </p>
    )
  }
  return (
    <div className="grid gap-1 text-sm [overflow-wrap:anywhere]">
      <p>
        <strong>Last verified</strong> <Time at={last.at} /> (<Time at={last.at} relative />) by {last.by}:{' '}
        <Badge tone={last.problems ? 'bad' : last.is_whole ? 'good' : 'new'}>
          {last.problems ? pluralize(last.problems, 'problem') : last.is_whole ? 'everything agrees' : 'what was opened agrees'}
        </Badge>
      </p>
      {last.problems > 0 && (
        <ul className="list-disc ps-5">
          {Object.entries(last.kinds).map(([kind, number]) => (
            <li key={kind}>
              {number.toLocaleString()} × <code>{kind}</code>
            </li>
          ))}
        </ul>
      )}
      <p className="text-quiet">
        {last.extent} {last.head_copies ? `Compared with ${pluralize(last.head_copies, 'place')} of copies of heads.` : 'No copies of heads were compared.'}
      </p>
    </div>
  )
}
