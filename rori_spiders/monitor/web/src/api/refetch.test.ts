import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { refetch } from './refetch'

test('a first answer that was read before the change is not shown', async () => {
  const answers: ((answer: string) => void)[] = []
  const queries = new QueryClient()
  const list = new QueryObserver(queries, { queryKey: ['changes'], queryFn: () => new Promise<string>((resolve) => answers.push(resolve)) })
  const close = list.subscribe(() => undefined)
  const done = refetch(queries)
  answers[0]?.('before')
  await expect.poll(() => answers.length).toBe(2)
  answers[1]?.('after')
  await done
  expect(list.getCurrentResult().data).toBe('after')
  close()
})
