import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Table, type Column } from '@/components/data/Table'
import { Time, useNow } from '@/components/data/Time'
import { Badge } from '@/components/feedback/Badge'
import { QueryView } from '@/components/feedback/QueryView'
import { ErrorMessage } from '@/components/feedback/states'
import { showToast } from '@/components/feedback/Toast'
import { Button } from '@/components/forms/Button'
import { Field } from '@/components/forms/Field'
import { Select } from '@/components/forms/filters'
import { useAction } from '@/components/forms/useAction'
import { addToken, revokeToken, tokensQuery, type OwnToken, type TokenOrder } from './queries'
import { ShownOnce } from './ShownOnce'

const SCOPES: [string, string][] = [
  ['review', 'Read, and decide about changes'],
  ['operate', 'Whatever you may'],
]

/** Keys by which programs use the API in this person's name: listed, made, revoked. */
export function Tokens({ mayAct }: { mayAct: boolean }) {
  const query = useQuery(tokensQuery)
  const now = useNow()
  const revoke = useAction(revokeToken, () => showToast('Token revoked.'))
  const columns: Column<OwnToken>[] = [
    { key: 'label', title: 'Label', whole: true, cell: (row) => row.label },
    { key: 'scope', title: 'Scope', cell: (row) => row.scope },
    { key: 'expires', title: 'Expires', cell: (row) => <Time at={row.expires_at} /> },
    { key: 'seen', title: 'Last used', cell: (row) => <Time at={row.seen_at} none="never" /> },
    {
      key: 'revoke',
      title: 'Action',
      cell: (row) => {
        if (row.revoked_at) return <Badge tone="idle">revoked</Badge>
        if (new Date(row.expires_at) <= now) return <Badge tone="idle">expired</Badge>
        return (
          <Button disabled={revoke.isPending} onClick={() => revoke.mutate(row.token_id)}>
            Revoke<span className="sr-only"> {row.label}</span>
          </Button>
        )
      },
    },
  ]
  return (
    <>
      {revoke.isError && <ErrorMessage error={revoke.error} />}
      <QueryView query={query} what="your tokens">
        {(rows) => (rows.length > 0 ? <Table caption="Your API tokens" columns={columns} rows={rows} id={(row) => String(row.token_id)} /> : <p className="text-sm text-quiet">No tokens. A program sends one as “Authorization: Bearer TOKEN”.</p>)}
      </QueryView>
      <TokenForm mayAct={mayAct} />
    </>
  )
}

function TokenForm({ mayAct }: { mayAct: boolean }) {
  const [label, setLabel] = useState('')
  const [scope, setScope] = useState<string>()
  const [days, setDays] = useState('90')
  const [token, setToken] = useState<string | null>(null)
  const add = useAction(addToken, (made) => {
    setToken(made.token)
    setLabel('')
  })
  return (
    <form
      className="mt-4 max-w-sm"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate({ label: label.trim(), scope: (scope ?? 'read') as TokenOrder['scope'], days: Number(days) })
      }}
    >
      <h3 className="mb-2 font-semibold">Make a token</h3>
      {token && <ShownOnce what="token" value={token} />}
      <Field label="Label" required maxLength={100} pattern=".*\S.*" value={label} hint="What it is for." onChange={(event) => setLabel(event.target.value)} />
      <div className="mb-3">
        <Select label="Scope" value={scope} all="Read" options={mayAct ? SCOPES : []} pick={setScope} />
      </div>
      <Field label="Valid for (days)" type="number" min={1} max={366} required value={days} onChange={(event) => setDays(event.target.value)} />
      {add.isError && <ErrorMessage error={add.error} />}
      <Button type="submit" kind="main" disabled={add.isPending}>
        Make token
      </Button>
    </form>
  )
}
