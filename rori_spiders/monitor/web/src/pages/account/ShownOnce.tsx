import { CopyButton } from '@/components/forms/CopyButton'

/** A secret that the ledger has only as a hash: nobody can show it again. */
export function ShownOnce({ what, value }: { what: string; value: string }) {
  return (
    <div role="status" className="mb-4 rounded-md border border-accent p-3 text-sm">
      <p className="font-semibold">Copy the {what} now: it is not shown again.</p>
      <p className="mt-1 flex flex-wrap items-center gap-2">
        <code className="[overflow-wrap:anywhere]">{value}</code> <CopyButton value={value} what={what} />
      </p>
    </div>
  )
}
