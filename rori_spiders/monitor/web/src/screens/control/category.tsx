import { useQuery } from '@tanstack/react-query'
import { answer, api } from '@/api/client'
import type { schemas } from '@/api/shapes'
import { Choice } from '@/parts/filters'
import { Loaded } from '@/parts/loaded'

export type Category = NonNullable<schemas['JobOrder']['category']>

/** One of the manifest's categories, with how many sources it has. */
export function CategoryPick({ value, pick }: { value: Category | undefined; pick: (category: Category | undefined) => void }) {
  const sources = useQuery({
    queryKey: ['sources', 'facets'],
    queryFn: ({ signal }) => answer(api.GET('/api/sources', { params: { query: { limit: 1 } }, signal })),
  })
  return (
    <Loaded query={sources} what="the categories">
      {({ facets }) => (
        <div className="max-w-sm">
          <Choice
            label="Category"
            all="Choose one"
            value={value}
            pick={(word) => pick(word as Category | undefined)}
            options={Object.entries(facets.category).map(([name, count]) => [name, `${name} (${count})`] as const)}
          />
        </div>
      )}
    </Loaded>
  )
}
