import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'

export const accountRoute = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(() => import('./Screen'), 'Account'),
})
