import { createRoute } from '@tanstack/react-router'
import { LoginPage } from '../pages/visitor/login.tsx'
import { root, visitorPage } from './frame.tsx'

/** Pages before a login. */
export const visitorRoutes = [
  // Where most visitors are led: its code comes with the first scripts, not in a request that follows.
  createRoute({ getParentRoute: () => root, path: '/login', component: LoginPage }),
  visitorPage('/register', () => import('../pages/visitor/register.tsx'), 'RegisterPage'),
  visitorPage(
    '/verify-email',
    () => import('../pages/visitor/verify-email.tsx'),
    'VerifyEmailPage',
  ),
  visitorPage(
    '/forgot-password',
    () => import('../pages/visitor/forgot-password.tsx'),
    'ForgotPasswordPage',
  ),
  visitorPage(
    '/reset-password',
    () => import('../pages/visitor/reset-password.tsx'),
    'ResetPasswordPage',
  ),
  visitorPage(
    '/change-email',
    () => import('../pages/visitor/change-email.tsx'),
    'ChangeEmailPage',
  ),
  visitorPage('/keep-factor', () => import('../pages/visitor/keep-factor.tsx'), 'KeepFactorPage'),
  visitorPage('/invitation', () => import('../pages/visitor/invitation.tsx'), 'InvitationPage'),
] as const
