import { useQuery } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { Select } from '@/components/forms/filters'
import { QueryView } from '@/components/feedback/QueryView'

export type Category = NonNullable<Schemas['JobOrder']['category']>

/** One of the manifest's categories, with how many sources it has. */
export function CategoryPicker({ value, pick }: { value: Category | undefined; pick: (category: Category | undefined) => void }) {
  const sources = useQuery({
    queryKey: ['sources', 'facets'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/sources', { params: { query: { limit: 1 } }, signal })),
  })
  return (
    <QueryView query={sources} what="the categories">
      {({ facets }) => (
        <div className="max-w-sm">
          <Select
            label="Category"
            all="Choose one"
            value={value}
            pick={(word) => pick(word as Category | undefined)}
            options={Object.entries(facets.category).map(([name, count]) => [name, `${name} (${count})`] as const)}
          />
        </div>
      )}
    </QueryView>
  )
}
