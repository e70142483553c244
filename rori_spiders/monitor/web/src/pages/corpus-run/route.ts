import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keepParams } from '@/lib/searchParams'

export const corpusRunRoute = createRoute({
  getParentRoute: () => root,
  path: '/corpus/runs/$runId',
  validateSearch: keepParams('section', 'show', 'q', 'offset'),
  component: lazyRouteComponent(() => import('./Screen'), 'CorpusRunScreen'),
})
