import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keepParams } from '@/lib/searchParams'

export const sourceRoute = createRoute({
  getParentRoute: () => root,
  path: '/sources/$id',
  validateSearch: keepParams('tab', 'state', 'q', 'offset'),
  component: lazyRouteComponent(() => import('./Screen'), 'Source'),
})
