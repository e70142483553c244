import { queryOptions, useQuery } from '@tanstack/react-query'
import { answer, api } from '@/api/client'
import type { schemas } from '@/api/shapes'
import { Loaded } from '@/parts/loaded'
import { TextDifference } from '@/texts/difference'

type Version = schemas['ManifestVersionRow']

function textQuery(id: number) {
  return queryOptions({
    queryKey: ['manifest version', id],
    queryFn: async ({ signal }) => String(await answer(api.GET('/api/manifests/versions/{version_id}/text', { params: { path: { version_id: id } }, parseAs: 'text', signal }))),
    staleTime: Infinity,
  })
}

/** The texts of two versions of a manifest, line by line. */
export function Between({ before, after }: { before: Version; after: Version }) {
  const [old, now] = [useQuery(textQuery(before.version_id)), useQuery(textQuery(after.version_id))]
  return (
    <section aria-label="Difference of two versions" className="mt-4">
      <h3 className="mb-2 font-semibold [overflow-wrap:anywhere]">
        From version {before.version} to version {after.version}, which is in force
      </h3>
      <Loaded query={old} what="the version before">
        {(first) => (
          <Loaded query={now} what="the active version">
            {(second) => <TextDifference before={first} after={second} />}
          </Loaded>
        )}
      </Loaded>
    </section>
  )
}
