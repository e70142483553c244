import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keeping } from '@/search'

export const sourceRoute = createRoute({
  getParentRoute: () => root,
  path: '/sources/$id',
  validateSearch: keeping('tab', 'state', 'q', 'offset'),
  component: lazyRouteComponent(() => import('./screen'), 'Source'),
})
