import { queryOptions, useQuery } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { QueryView } from '@/components/feedback/QueryView'
import { TextDifference } from '@/texts/TextDifference'

type Version = Schemas['ManifestVersionRow']

function textQuery(id: number) {
  return queryOptions({
    queryKey: ['manifest version', id],
    queryFn: async ({ signal }) => String(await unwrap(api.GET('/api/v1/manifests/versions/{version_id}/text', { params: { path: { version_id: id } }, parseAs: 'text', signal }))),
    staleTime: Infinity,
  })
}

/** The texts of two versions of a manifest, line by line. */
export function VersionDiff({ before, after }: { before: Version; after: Version }) {
  const [old, now] = [useQuery(textQuery(before.version_id)), useQuery(textQuery(after.version_id))]
  return (
    <section aria-label="Version diff" className="mt-4">
      <h3 className="mb-2 font-semibold [overflow-wrap:anywhere]">
        Version {before.version} → {after.version} (active)
      </h3>
      <QueryView query={old} what="the older version">
        {(first) => (
          <QueryView query={now} what="the active version">
            {(second) => <TextDifference before={first} after={second} />}
          </QueryView>
        )}
      </QueryView>
    </section>
  )
}
