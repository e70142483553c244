import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'

export const dashboardRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./screen'), 'Dashboard'),
})
