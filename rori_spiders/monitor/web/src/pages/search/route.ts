import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keepParams } from '@/lib/searchParams'

export const searchRoute = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: keepParams('q', 'cites', 'source', 'agency', 'since', 'until', 'past'),
  component: lazyRouteComponent(() => import('./Screen'), 'Search'),
})
