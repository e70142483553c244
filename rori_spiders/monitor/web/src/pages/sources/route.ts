import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keepParams } from '@/lib/searchParams'

export const sourcesRoute = createRoute({
  getParentRoute: () => root,
  path: '/sources',
  validateSearch: keepParams('q', 'status', 'agency', 'category', 'domain', 'sort', 'order', 'offset', 'group'),
  component: lazyRouteComponent(() => import('./Screen'), 'SourcesScreen'),
})
