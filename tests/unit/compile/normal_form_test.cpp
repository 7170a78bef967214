#include "compile/normal_form.hpp"

#include <gtest/gtest.h>

#include "languages/language.hpp"

namespace kernelloop {
namespace {

constexpr const char* k_plan = "/* kernelloop:plan\n{ \"launches\": [ 1, 2 ] }\n*/\n";

std::string source(const std::string& code) { return k_plan + code; }

void expect_same(const std::string& one, const std::string& other) {
  EXPECT_EQ(normal_hash(source(one), cuda_language()), normal_hash(source(other), cuda_language()))
      << one << "\n---\n"
      << other;
}

void expect_different(const std::string& one, const std::string& other) {
  EXPECT_NE(normal_hash(source(one), cuda_language()), normal_hash(source(other), cuda_language()))
      << one << "\n---\n"
      << other;
}

TEST(NormalForm, CommentsAndWhiteSpaceDoNotCount) {
  expect_same("int a = b + c;", "int  a=b+c ; // the sum\n");
  expect_same("f(a, b) {\n  return;\n}\n", "f( a,b ) /* two */ { return; }");
  expect_same("int a;\r\nint b;\r\n", "int a;\n\n\tint b;\n");
  expect_same("int a\\\n = 1;", "int a = 1;");
}

TEST(NormalForm, WhatWhiteSpaceKeepsApartStaysApart) {
  expect_different("int a;", "inta;");
  expect_different("a = b + +c;", "a = b ++c;");
  expect_different("x = y / *p;", "x = y /+p;");
  expect_different("return 1 2;", "return 12;");
  expect_different("a = 1 .5;", "a = 1.5;");
}

TEST(NormalForm, LiteralsStayWhatTheyAre) {
  expect_different("asm(\"add  x\");", "asm(\"add x\");");
  expect_different("c = ' ';", "c = '  ';");
  expect_different("s = \"a // b\";", "s = \"a\";");
  expect_different("s = R\"(a\n b)\";", "s = R\"(a b)\";");
}

TEST(NormalForm, LinesOfThePreprocessorStayLines) {
  expect_same("#include  <cstdint>\nint a;", "\n#include <cstdint>  // types\n\nint a ;");
  expect_different("#define F (x)\n", "#define F(x)\n");
  expect_different("#define A 1\nint b;", "#define A 1 int b;\n");
  expect_same("int a;\n#define A \\\n  1\n", "int a; \n#define A 1\n");
}

TEST(NormalForm, ASourceThatSeesItsLayoutIsComparedAsItStands) {
  expect_different("int a = __LINE__;", "\nint a = __LINE__;");
  expect_different("#define S(x) #x\nconst char* s = S(a+b);",
                   "#define S(x) #x\nconst char* s = S(a + b);");
  expect_same("#define J(x) x##1\nint J(a);", "#define J(x) x##1\nint J( a );");
  expect_different("%:define A 1\nint b;", "%:define A 1 int b;\n");
}

TEST(NormalForm, OfThePlanOnlyTheLayoutIsLeftOut) {
  const std::string code = "int a;";
  EXPECT_EQ(normal_form(source(code)),
            normal_form("/*   kernelloop:plan {\"launches\":[1,2]} */ int a;"));
  EXPECT_NE(normal_form(source(code)),
            normal_form("/* kernelloop:plan {\"launches\":[1,3]} */" + code));
  EXPECT_NE(normal_form(source(code)), normal_form(code));
}

TEST(NormalForm, OneTokenChangedIsAnotherSource) {
  expect_different("for (int i = 0; i < 4; ++i) a[i] = 0;",
                   "for (int i = 0; i < 8; ++i) a[i] = 0;");
}

TEST(NormalForm, IsTheSourceItselfWhereLayoutMeansSomething) {
  const Language& triton = language_named("TRITON");
  EXPECT_NE(normal_hash("if x:\n    f()\n", triton), normal_hash("if x:\n  f()\n", triton));
  EXPECT_EQ(normal_hash("f()\n", triton), normal_hash("f()\n", triton));
}

}  // namespace
}  // namespace kernelloop
