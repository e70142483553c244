import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keeping } from '@/search'

export const corpusPageRoute = createRoute({
  getParentRoute: () => root,
  path: '/corpus/runs/$runId/pages/$pageId',
  validateSearch: keeping('section', 'show', 'q', 'offset', 'tab', 'how', 'left', 'right'),
  component: lazyRouteComponent(() => import('./screen'), 'CorpusPageScreen'),
})
