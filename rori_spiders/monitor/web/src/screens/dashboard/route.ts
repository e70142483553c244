import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keeping } from '@/search'

export const dashboardRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: keeping('q', 'status', 'agency', 'category', 'domain', 'sort', 'order', 'offset', 'group'),
  component: lazyRouteComponent(() => import('./screen'), 'Dashboard'),
})
